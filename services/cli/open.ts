import type { Access } from '#kit/access';
import { Bus } from '#kit/bus';
import { homeOf, readStackFile } from '../../deploy/local/home.ts';

/** Connects to the running stack of this home. Throws `StackError` if there is none. */
async function openStack(role: 'operator' | 'viewer'): Promise<{ bus: Bus; flat: boolean; pid: number }> {
  const { url, flat, passwords, pid } = readStackFile(homeOf(process.env));
  const access: Access = { url, role, flat, password: passwords[role] };
  return { bus: await Bus.connect(access), flat, pid };
}

/** Connects to the running stack of this home, and disconnects after `work`, even if it throws. */
export async function withStack<T>(
  role: 'operator' | 'viewer',
  work: (bus: Bus, stack: { flat: boolean; pid: number }) => Promise<T>,
): Promise<T> {
  const { bus, flat, pid } = await openStack(role);
  try {
    return await work(bus, { flat, pid });
  } finally {
    await bus.close();
  }
}
