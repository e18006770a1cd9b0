import { runWith } from '#kit/run';
import { agent } from './actor.ts';
import { knobs } from './config.ts';
import { keepAccess, keyVariables } from './openai/access.ts';

await runWith('agent', knobs, (config) => {
  keepAccess(config, process.env);
  for (const name of keyVariables) delete process.env[name]; // no child of this process needs them
  return agent;
});
