const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const COMMA = 0x2c;

/**
 * Splits a JSON array into its elements while it is being read, so that it never has to fit into memory. What is inside
 * an element is not checked here: it is parsed by itself.
 */
export class JsonElements {
  /** Elements over the limit. */
  tooLong = 0;
  private readonly mostBytes: number;
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  private isArray = false;
  private held: Buffer[] = [];
  private heldBytes = 0;

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes;
  }

  /** True once the array has ended. */
  get isDone(): boolean {
    return this.isArray && this.depth === 0;
  }

  /** Adds bytes; returns the elements that are complete. @throws Error if it is not an array */
  add(bytes: Buffer): readonly string[] {
    const elements: string[] = [];
    let start = this.isArray ? 0 : this.begin(bytes);
    for (let at = start; at < bytes.length && this.depth > 0; at++) {
      if (!this.endsElement(bytes[at] ?? 0)) continue;
      elements.push(...this.finish(bytes.subarray(start, at)));
      start = at + 1;
    }
    if (this.depth > 0) this.hold(bytes.subarray(start));
    return elements;
  }

  /** @returns where the first element begins; the length before the array begins */
  private begin(bytes: Buffer): number {
    // White space, or a byte order mark.
    const at = bytes.findIndex((byte) => byte > 0x20 && byte < 0x80);
    if (at === -1) return bytes.length;
    if (bytes[at] !== OPENING_BRACKET) throw new Error('not a JSON array');
    this.isArray = true;
    this.depth = 1;
    return at + 1;
  }

  /** Whether a byte is the comma after an element, or the end of the array. */
  private endsElement(byte: number): boolean {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.inString = false;
      return false;
    }
    if (byte === QUOTE) this.inString = true;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) this.depth += 1;
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) this.depth -= 1;
    return this.depth === 0 || (this.depth === 1 && byte === COMMA);
  }

  private finish(rest: Buffer): readonly string[] {
    this.hold(rest);
    const isTooLong = this.heldBytes > this.mostBytes;
    const text = isTooLong ? '' : Buffer.concat(this.held).toString('utf8').trim();
    if (isTooLong) this.tooLong += 1;
    this.held = [];
    this.heldBytes = 0;
    return text === '' ? [] : [text];
  }

  private hold(bytes: Buffer): void {
    this.heldBytes += bytes.length;
    // The buffer that was passed is used again.
    if (this.heldBytes <= this.mostBytes) this.held.push(Buffer.from(bytes));
    else this.held = [];
  }
}
