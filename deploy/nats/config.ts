import { people, type Role, services } from '#protocol/roles';
import { maxPayloadBytes } from '#protocol/streams';
import { type Grant, grantsOf, localSubject, roles } from './roles.ts';

/** Passwords by role, and `core` and `eval` for the launcher, which creates the streams. */
export type Passwords = Readonly<Record<Role | 'core' | 'eval', string>>;

interface Place {
  readonly port: number;
  readonly httpPort: number;
  readonly storeDir: string;
  /** Of the server it is for: not all know the same settings. */
  readonly version: string;
}

/**
 * The whole configuration of a server. Loopback only: it speaks no TLS and 2.9 has known holes that matter on a network.
 * One matters here too: before 2.9.15 whoever may log in can end the server, by a reply subject with a wildcard. Nothing
 * that is stored is lost by it.
 * `sync_interval`: what is acknowledged survives a kill -9 of the server at any setting; this bounds what a power cut can
 * take to 0.1 s. Servers before 2.10 refuse to start with it and sync every 60 s.
 */
export const natsConfig = (passwords: Passwords, { port, httpPort, storeDir, version }: Place): string =>
  `# made by deploy/nats/config.ts at every start; what is written here is lost
listen: "127.0.0.1:${port}"
http: "127.0.0.1:${httpPort}"
max_payload: ${maxPayloadBytes}
write_deadline: "10s"
jetstream {
  store_dir: ${JSON.stringify(storeDir)}
  max_memory_store: 256MB
${isBefore(version, 2, 10) ? '' : '  sync_interval: "100ms"\n'}}
system_account: SYS
accounts {
  SYS { users: [] }
${storage('core', passwords)}
${storage('eval', passwords)}
${roles.map((role) => account(role, passwords)).join('\n')}
}
`;

const isBefore = (version: string, major: number, minor: number): boolean => {
  const [has = 0, hasMinor = 0] = version.split('.').map(Number);
  return has < major || (has === major && hasMinor < minor);
};

const quote = (text: string): string => JSON.stringify(text);
const list = (items: string[]): string => `[\n${items.map((item) => `      ${item}`).join('\n')}\n    ]`;

/** An account that keeps streams. What any role is granted is exported to just that role's account. */
function storage(name: 'core' | 'eval', passwords: Passwords): string {
  const exported = new Map<string, { grant: Grant; to: Role[] }>();
  for (const role of roles)
    for (const grant of grantsOf(role).filter(({ account }) => account === name)) {
      const entry = exported.get(grant.subject) ?? { grant, to: [] };
      entry.to.push(role);
      exported.set(grant.subject, entry);
    }
  const lines = [...exported.values()].map(({ grant: { subject, way }, to }) => {
    const answers = way === 'asks' ? ', response_type: "stream"' : '';
    return `{ service: ${quote(subject)}${answers}, accounts: [${to.map(accountName).join(', ')}] }`;
  });
  return `  ${accountName(name)} {
    jetstream: enabled
    users: [{ user: ${name}, password: ${quote(passwords[name])} }]
    exports: ${list(lines)}
  }`;
}

const accountName = (role: string): string => role.toUpperCase();

/** PING, INFO and STATS of the services, as people ask for them: `srv.<service>.<verb>`. */
const verbs = ['PING', 'INFO', 'STATS'];

/** The account of a role: no storage, what it imports, and an allow-list of just that with an inbox of its own. */
function account(role: Role, passwords: Passwords): string {
  const grants = grantsOf(role);
  const isPerson = people.some((person) => person === role);
  const asked = isPerson ? services.flatMap((service) => verbs.map((verb) => ({ service, verb }))) : [];
  const publish = [
    ...grants.map(localSubject),
    ...asked.map(({ service, verb }) => `srv.${service}.${verb}`),
    ...(isPerson ? [] : ['_R_.>']), // answers to PING, INFO and STATS
  ];
  const subscribe = [`_INBOX_${role}.>`, ...(isPerson ? [] : ['$SRV.>', `serve.${role}.>`])];
  return `  ${accountName(role)} {
    users: [{ user: ${role}, password: ${quote(passwords[role])}, permissions: {
      publish: { allow: ${list(publish.map(quote))} }
      subscribe: { allow: ${list(subscribe.map(quote))} } } }]
    imports: ${list([...grants.map(imported), ...asked.map(importedVerb)])}
    exports: ${list(isPerson ? [] : verbs.map(exportedVerb))}
  }`;
}

function imported(grant: Grant): string {
  const { account, subject } = grant;
  const what = `{ account: ${accountName(account)}, subject: ${quote(subject)} }`;
  const to = localSubject(grant) === subject ? '' : `, to: ${quote(localSubject(grant))}`;
  return `{ service: ${what}${to} }`;
}

const importedVerb = ({ service, verb }: { service: string; verb: string }): string =>
  `{ service: { account: ${accountName(service)}, subject: ${quote(`$SRV.${verb}`)} }, to: ${quote(`srv.${service}.${verb}`)} }`;

const exportedVerb = (verb: string): string =>
  `{ service: ${quote(`$SRV.${verb}`)}, response_type: "stream", accounts: [${people.map(accountName).join(', ')}] }`;
