import type { PoolConfig } from '../config.ts';
import { local } from './local.ts';
import type { Provider } from './provider.ts';

const providers: Readonly<Record<PoolConfig['provider'], (config: PoolConfig) => Provider>> = { local };

export const providerOf = (config: PoolConfig): Provider => providers[config.provider](config);
