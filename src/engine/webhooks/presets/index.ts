import { ALERTS } from './alerts.js';
import { CODE_HOSTS } from './code-hosts.js';
import type { Preset } from './preset.js';
import { SERVICES } from './services.js';

export type { Preset } from './preset.js';

/** All presets, in the order of docs/webhook-senders.md. */
export const PRESETS: readonly Preset[] = [...CODE_HOSTS, ...ALERTS, ...SERVICES];
