import type { EngineContext } from '../../engine/context.js';
import type { SecretMask } from '../../engine/secrets/mask/secret-mask.js';
import type { TerminalSupport } from '../terminal.js';

/** How home is shown. */
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
