import { statSync } from 'node:fs';
import { messageOf } from '../../errors/index.js';

interface LiveCertificateOptions {
  /** The certificate and its key. */
  readonly files: readonly string[];
  /** Loads both; throws if they cannot be used. */
  readonly renew: () => void;
  readonly onRenewed: () => void;
  /** Called when changed files cannot be used; until they can, the old certificate stays in effect. */
  readonly onTrouble: (why: string) => void;
}

/** Picks up a renewed certificate of a running server. */
export class LiveCertificate {
  private readonly options: LiveCertificateOptions;
  private used: string;
  private seen: string;

  constructor(options: LiveCertificateOptions) {
    this.options = options;
    this.used = stampOf(options.files);
    this.seen = this.used;
  }

  /** To be called from time to time. Files that changed since the last call may be half written. */
  look(): void {
    const { files, renew, onRenewed, onTrouble } = this.options;
    const stamp = stampOf(files);
    const isSettled = stamp === this.seen;
    this.seen = stamp;
    if (!isSettled || stamp === this.used) return;
    this.used = stamp;
    try {
      renew();
      onRenewed();
    } catch (error) {
      onTrouble(messageOf(error));
    }
  }
}

/** Follows links, because renewing may only change where they point. */
function stampOf(files: readonly string[]): string {
  return files.map(stampOfOne).join(' ');
}

function stampOfOne(file: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino}.${size}.${mtimeNs}`;
  } catch (error) {
    return messageOf(error);
  }
}
