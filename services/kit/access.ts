/** How a role logs in. `flat`: a server without our accounts, where every role can do everything. */
export interface Access {
  readonly url: string;
  readonly role: string;
  /** If it is not the name of the role. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly flat?: boolean | undefined;
}

/** Options for the client of NATS; none if there is no password. */
export const credentials = ({ user, role, password }: Access): { user?: string; pass?: string } =>
  password ? { user: user ?? role, pass: password } : {};

/** Where the answers to a role arrive; no other role may listen there. */
export const inboxPrefixOf = (role: string): string => `_INBOX_${role}`;
