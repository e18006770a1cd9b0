import { CommanderError } from 'commander';
import { StackError } from '../../deploy/local/home.ts';
import { NatsServerMissing } from '../../deploy/nats/install.ts';
import { program } from './program.ts';
import { red, UsedWrongly, warn } from './say.ts';

// whoever reads our output may stop, as `head` does
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
  if (!(error instanceof CommanderError)) warn(red(`uplift: ${sentenceOf(error)}`));
}

/** Commander throws after help that was asked for, too, with an exit code of 0. */
function exitCodeOf(error: unknown): 0 | 1 | 2 {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof UsedWrongly || error instanceof StackError ? 2 : 1;
}

/** Of what is no fault of whoever typed it, with its stack. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isPlain = [UsedWrongly, StackError, NatsServerMissing].some((kind) => error instanceof kind);
  return isPlain ? error.message : (error.stack ?? error.message);
}
