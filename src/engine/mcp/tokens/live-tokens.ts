import { lstatSync } from 'node:fs';
import { messageOf } from '../../errors/index.js';
import type { Clock } from '../../support/context.js';
import { isExpired, type McpToken, readTokens, tokensFile, withHash } from './token-store.js';

interface LiveTokensOptions {
  readonly stateDir: string;
  readonly clock: Clock;
  /** Called when the file cannot be used; until it can, no token is valid. */
  readonly onTrouble: (why: string) => void;
}

/** The valid tokens of a running server. A changed file is read again before the next answer. */
export class LiveTokens {
  private readonly options: LiveTokensOptions;
  private seen: string | undefined;
  private tokens: readonly McpToken[] = [];

  constructor(options: LiveTokensOptions) {
    this.options = options;
  }

  /** The token with this value. */
  find(value: string): McpToken | undefined {
    return withHash(this.valid(), value);
  }

  valid(): readonly McpToken[] {
    this.refresh();
    const nowMs = this.options.clock.now();
    return this.tokens.filter((token) => !isExpired(token, nowMs));
  }

  private refresh(): void {
    const { stateDir, onTrouble } = this.options;
    const seen = fingerprint(tokensFile(stateDir));
    if (seen === this.seen) return;
    this.seen = seen;
    try {
      this.tokens = readTokens(stateDir);
    } catch (error) {
      this.tokens = [];
      onTrouble(messageOf(error));
    }
  }
}

/** Changes with each replacement of the file, and with its permissions. */
function fingerprint(file: string): string {
  try {
    const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return 'none';
    return [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
  } catch (error) {
    return messageOf(error);
  }
}
