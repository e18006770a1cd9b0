import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';
import type { Command } from 'commander';
import { program } from '../../services/cli/program.ts';
import { root } from '../support/root.ts';

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

test('the help of every command shows what to type, in words that the command knows', (t) => {
  const commands = all(program);
  const known = new Set(commands.map(nameOf));
  for (const command of commands) {
    const [, examples = ''] = helpOf(command).split('\nExamples:\n');
    const typed = [...examples.matchAll(/^ {2}(?:\w+=\S+ )?(uplift(?: [a-z]+)*)/gm)].map(([, words = '']) => words);
    t.true(typed.length > 0, `${nameOf(command)} has no example`);
    for (const words of typed)
      t.true(
        [...known].some((name) => name.includes(' ') && `${words} `.startsWith(`${name} `)),
        `${nameOf(command)}: "${words}" is no command`,
      );
  }
});

test('used wrongly is exit code 2, help that was asked for is 0', (t) => {
  const exitCodeOf = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'bin', 'uplift.js'), ...args], { stdio: 'ignore' }).status;
  t.is(exitCodeOf('no-such-command'), 2);
  t.is(exitCodeOf('pods', 'scale', '99'), 2);
  t.is(exitCodeOf('runs', '--help'), 0);
});
