import type { Versions } from './binary.ts';

/** A release of nats-io/nats-server, pinned: the sha256 of its .tar.gz for each platform. */
export type Release = { version: string; sha256: Readonly<Record<string, string>> };

/** A nats-server somebody wants: its name in `<home>/bin`, the versions that will do, and where one is. */
export type Wanted = {
  file: string;
  versions: Versions;
  /** The Debian suite whose package is taken; without it, whatever this machine's own sources offer. */
  suite?: string;
  release: Release;
};

/** Something on its way into `<home>/bin`. A way may write anything into `dir`, which is gone afterwards. */
export type Errand = { wanted: Wanted; dir: string; env: NodeJS.ProcessEnv; onStep: (line: string) => void };

/** Fetches the program by one means and says where in `dir` it lies. */
export type Way = (errand: Errand) => Promise<string>;

/** From the release's SHA256SUMS; the Linux ones are those of the official container image too. */
export const newestRelease: Release = {
  version: '2.14.5',
  sha256: {
    'linux-amd64': '5e3b603d47c447bda1f77f9ac16dbf91c90aac4ff3681f8fbbc7201e4ed99355',
    'linux-arm64': '673a98d3faa79dde3f9ebf16d6dfac36a5f694e7ad2015e4954dd7939c85cd4c',
    'linux-arm7': 'c8796b63a8603fdebabd63146ac3d3997c29a2829fdd2af6db320f4a287f2e71',
    'darwin-amd64': 'f95c98d6b6ed2b63c5681b46b092c9585c99767d547cf495730c329234625e96',
    'darwin-arm64': 'ddd907854d9a2de834af133fa396915fe6442fe6d8909ae31390d1ea7a0fea50',
  },
};

export const oldestRelease: Release = {
  version: '2.9.10',
  sha256: {
    'linux-amd64': '1dc0829c9cddbc9474a768853d464bd8b32cdaa51f66633825a20462b36071c8',
    'darwin-amd64': '4c8913b6e9dcffe6abd47cc1047601d87aa96a2c0cfabd5a2d7502bb60684f49',
    'darwin-arm64': '2898df4f9ad0db4784dbbefe7266e1dd05023fa05908cf227c60e1bce7dc4521',
  },
};
