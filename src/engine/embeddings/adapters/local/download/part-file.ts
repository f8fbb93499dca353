import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AnswerHeaders, LinkedFile } from './open-download.js';

/** What a part that was downloaded is a part of. */
export interface PartOrigin {
  readonly url: string;
  /** A strong `ETag` or a `Last-Modified`, for `If-Range`. */
  readonly validator?: string | undefined;
  readonly sha256?: string | undefined;
  /** Of the whole file. */
  readonly bytes?: number | undefined;
}

/** The first part of a file whose download was cut, with a note beside it of where it came from. */
export class PartFile {
  readonly path: string;
  private readonly notePath: string;
  private readonly url: string;

  /** @param finalPath where the file will lie; the part lies beside it */
  constructor(finalPath: string, url: string) {
    this.path = `${finalPath}.part`;
    this.notePath = `${finalPath}.part.json`;
    this.url = url;
  }

  /** How many bytes are there. */
  size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Where the part came from; undefined when that is unknown, and then it is of no use. */
  origin(): PartOrigin | undefined {
    try {
      const note: unknown = JSON.parse(readFileSync(this.notePath, 'utf8'));
      if (typeof note !== 'object' || note === null) return undefined;
      const { url, validator, sha256, bytes } = Object.fromEntries(Object.entries(note));
      if (url !== this.url) return undefined;
      return {
        url,
        ...(typeof validator === 'string' ? { validator } : {}),
        ...(typeof sha256 === 'string' ? { sha256 } : {}),
        ...(typeof bytes === 'number' ? { bytes } : {}),
      };
    } catch {
      return undefined;
    }
  }

  /** Begins anew: nothing is kept of an earlier part. */
  begin(origin: Omit<PartOrigin, 'url'>): void {
    writeFileSync(this.path, '', { mode: 0o600 });
    // Addresses may carry a key in their query.
    writeFileSync(this.notePath, JSON.stringify({ url: this.url, ...origin }), { mode: 0o600 });
  }

  /** Forgets the part. */
  discard(): void {
    rmSync(this.path, { force: true });
    this.forgetOrigin();
  }

  /** Removes the note, when the part has become the file. */
  forgetOrigin(): void {
    rmSync(this.notePath, { force: true });
  }

  /** Headers that ask for what is missing, if what the host has is still the same file. */
  rangeHeaders(linked: LinkedFile): Readonly<Record<string, string>> {
    const size = this.size();
    const origin = this.origin();
    if (size === 0 || origin === undefined) return {};
    const range = { range: `bytes=${size}-` };
    if (origin.sha256 !== undefined && linked.sha256 !== undefined) {
      return origin.sha256 === linked.sha256 ? range : {};
    }
    return origin.validator === undefined ? {} : { ...range, 'if-range': origin.validator };
  }
}

/** What `If-Range` may be given: a strong entity tag or a date (RFC 9110 §13.1.5). */
export function validatorOf(headers: AnswerHeaders): string | undefined {
  const etag = headers['etag'];
  if (typeof etag === 'string' && etag.startsWith('"')) return etag;
  const date = headers['last-modified'];
  return typeof date === 'string' ? date : undefined;
}

/** `Content-Range: bytes first-last/total`; undefined for one of another form. */
export function contentRange(
  headers: AnswerHeaders,
): { readonly first: number; readonly total: number | undefined } | undefined {
  const text = headers['content-range'];
  const match = typeof text === 'string' ? /^bytes (\d+)-\d+\/(\d+|\*)$/u.exec(text) : null;
  if (match === null) return undefined;
  return { first: Number(match[1]), total: match[2] === '*' ? undefined : Number(match[2]) };
}
