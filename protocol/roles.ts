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
  /** Its acts are addressed to one of so many places, `pods.p1` and on, each served by one process. 0: to any process. */
  readonly places: number;
}

export const characters: Readonly<Record<Service, Character>> = {
  conductor: { home: 'core', single: false, places: 0 },
  agent: { home: 'core', single: false, places: 0 },
  pool: { home: 'core', single: true, places: 0 },
  pod: { home: 'core', single: false, places: 16 },
  evaluator: { home: 'eval', single: false, places: 0 },
  learner: { home: 'core', single: true, places: 0 },
};

/** `p1` and on; none where any process does what is asked of its service. */
export const placesOf = (service: Service): string[] =>
  Array.from({ length: characters[service].places }, (_, at) => `p${at + 1}`);

export const isService = (role: string): role is Service => Object.hasOwn(characters, role);
