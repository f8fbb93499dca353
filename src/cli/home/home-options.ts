import type { SecretMask } from '../../engine/masking/index.js';
import type { EngineContext } from '../../engine/support/context.js';
import type { TerminalSupport } from '../terminal.js';

export interface ShownHomeOptions {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  /** Absolute path of the package. */
  readonly root: string;
  readonly terminal: TerminalSupport;
  readonly mask: SecretMask;
  readonly signal: AbortSignal;
}
