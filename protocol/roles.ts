/** Who speaks on the bus. Each role logs in as itself; `deploy/nats/roles.ts` turns this table and the route into grants. */
export const services = ['conductor', 'agent', 'pool', 'pod', 'evaluator', 'learner'] as const;
export type Service = (typeof services)[number];

export const people = ['operator', 'viewer'] as const;
export type Role = Service | (typeof people)[number];

/** The two server accounts that own storage. What lies in `eval` can be reached by the evaluator alone. */
export type Account = 'core' | 'eval';

interface Character {
  /** The account that keeps this service's mail, state, timers and parked messages. */
  readonly home: Account;
  /** Single-active: one process works, by lease and fencing epoch; the others stand by. */
  readonly single: boolean;
}

export const characters: Readonly<Record<Service, Character>> = {
  conductor: { home: 'core', single: false },
  agent: { home: 'core', single: false },
  pool: { home: 'core', single: true },
  pod: { home: 'core', single: false },
  evaluator: { home: 'eval', single: false },
  learner: { home: 'core', single: true },
};

export const isService = (role: string): role is Service => Object.hasOwn(characters, role);
