import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../../../errors/index.js';
import { letOthersRun } from '../../../support/async.js';
import { READ_NO_LINK } from '../../../support/files.js';
import { formatCount, formatCountOf } from '../../../support/format.js';
import { pushAll } from '../../../support/lists.js';
import { isRecord, parsedJson } from '../../../support/text.js';
import { type ExportedConversation, exportedConversation } from './exported-conversation.js';

/** A longer conversation is left out. */
const MOST_CONVERSATION_BYTES = 64 * 1024 * 1024;
/** Unpacked; a larger export is not read to its end. */
const MOST_BYTES = 4 * 1024 * 1024 * 1024;
/** Conversations compress about tenfold. What compresses better by far is made to fill the disk. */
const MOST_RATIO = 200;
/** Up to this size any ratio is harmless. */
const HARMLESS_BYTES = 8 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;
/** Large accounts may have several files. */
const CONVERSATIONS = /^(?:[^/\\]{1,200}[/\\]){0,3}conversations(?:-\d{1,6})?\.json$/u;

/**
 * The conversations of a data export of ChatGPT or Claude: `conversations.json`, or the zip that contains it. They
 * are read one at a time, whatever the size of the export; names in the zip are compared and never used as paths.
 *
 * @param onFault why the export cannot be read completely
 * @returns `read`: the bytes of the file that were read so far
 * @throws the system's error if the file cannot be opened
 */
export async function* readExport(
  file: string,
  onFault: (fault: string) => void,
): AsyncGenerator<ExportedConversation & { readonly read: number }> {
  const descriptor = openSync(file, READ_NO_LINK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('not a regular file');
    const mark = Buffer.alloc(2);
    readSync(descriptor, mark, 0, 2, 0);
    const isZip = mark.toString('latin1') === 'PK';
    const texts = isZip ? await zippedTexts(onFault) : plainTexts(onFault);
    let unknown = 0;
    let known = 0;
    let read = 0;
    for (const block of blocks(descriptor)) {
      read += block.length;
      for (const text of texts.add(block)) {
        const value = parsedJson(text);
        const conversation = isRecord(value) ? exportedConversation(value) : undefined;
        if (conversation === undefined) unknown += 1;
        else {
          known += 1;
          yield { ...conversation, read };
        }
      }
      if (texts.isDone()) break;
      // Lets a screen draw and a signal arrive.
      await letOthersRun();
    }
    texts.end();
    if (unknown > 0) {
      const all = formatCountOf(known + unknown, 'conversation');
      onFault(`skipped ${formatCount(unknown)} of ${all}: unknown format`);
    }
  } catch (error) {
    onFault(messageOf(error));
  } finally {
    closeSync(descriptor);
  }
}

function* blocks(descriptor: number): Generator<Buffer> {
  for (;;) {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    const length = readSync(descriptor, block, 0, BLOCK_BYTES, null);
    if (length === 0) return;
    yield block.subarray(0, length);
  }
}

/** Takes the bytes of an export, and returns the conversations that are complete. */
interface ConversationTexts {
  add(bytes: Buffer): readonly string[];
  isDone(): boolean;
  /** @throws Error if something is missing */
  end(): void;
}

function plainTexts(onFault: (fault: string) => void): ConversationTexts {
  const elements = new JsonElements(MOST_CONVERSATION_BYTES);
  let bytes = 0;
  return {
    add(block) {
      bytes += block.length;
      if (bytes > MOST_BYTES) throw new Error('larger than 4 GB');
      return elements.add(block);
    },
    isDone: () => elements.isDone,
    end() {
      if (elements.tooLong > 0) {
        onFault(`skipped ${formatCountOf(elements.tooLong, 'conversation')} larger than 64 MB`);
      }
      if (!elements.isDone) throw new Error('it ends in the middle of a conversation');
    },
  };
}

async function zippedTexts(onFault: (fault: string) => void): Promise<ConversationTexts> {
  const { Unzip, UnzipInflate } = await import('fflate');
  let texts: string[] = [];
  let packed = 0;
  let unpacked = 0;
  const files: ConversationTexts[] = [];
  const unzip = new Unzip((entry) => {
    if (!CONVERSATIONS.test(entry.name)) return;
    // 0 is stored, 8 is Deflate.
    if (entry.compression !== 0 && entry.compression !== 8) {
      throw new Error('its compression is not supported; unpack it, and add conversations.json');
    }
    const plain = plainTexts(onFault);
    files.push(plain);
    // The unpacker passes an error on to the caller of its `push`.
    entry.ondata = (error, data) => {
      if (error !== null) throw error;
      unpacked += data.length;
      if (unpacked > HARMLESS_BYTES && unpacked > packed * MOST_RATIO) {
        throw new Error('it is compressed more than 200 times: refused as a zip bomb');
      }
      if (unpacked > MOST_BYTES) throw new Error('larger than 4 GB');
      pushAll(texts, plain.add(Buffer.from(data.buffer, data.byteOffset, data.length)));
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  return {
    add(block) {
      packed += block.length;
      unzip.push(block);
      const complete = texts;
      texts = [];
      return complete;
    },
    isDone: () => false,
    end() {
      if (files.length === 0) throw new Error('it contains no conversations.json');
      for (const file of files) file.end();
    },
  };
}

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
