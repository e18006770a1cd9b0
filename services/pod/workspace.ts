import { parse } from 'smol-toml';
import { Failed } from '#kit/boundary';
import { type Train, train, type Workspace, workspace } from '#protocol/workspace';

/** The files of a job, which the evaluator has validated: if they are unreadable here, that is a bug of ours. */
export function readWorkspace(bytes: Uint8Array): { files: Workspace; train: Train } {
  try {
    const files = workspace.parse(JSON.parse(new TextDecoder().decode(bytes)));
    return { files, train: train.parse(parse(files['train.toml'] ?? '')) };
  } catch (error) {
    throw new Failed('edge/refused', `the workspace cannot be read: ${String(error)}`);
  }
}
