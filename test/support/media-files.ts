import { crc32, deflateSync } from 'node:zlib';

/*
 * Small files of every media format that memory accepts, complete by the specifications of the formats.
 * A comment in each, `depicts "…"`, says what it shows; the fakes read it instead of the media.
 */

const text = (words: string): Buffer => Buffer.from(words, 'latin1');
const comment = (depicts: string): Buffer => text(`depicts "${depicts}"`);
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);

function be32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function le32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function le16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}

/** Portable Network Graphics: one grey pixel, and a text chunk. */
export function png(depicts: string): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([text(type), data]);
    return Buffer.concat([be32(data.length), body, be32(crc32(body))]);
  };
  return Buffer.concat([
    bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', Buffer.concat([be32(1), be32(1), bytes(8, 0, 0, 0, 0)])),
    chunk('tEXt', Buffer.concat([text('Comment\0'), comment(depicts)])),
    chunk('IDAT', deflateSync(bytes(0, 0x80))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** JPEG: one pixel with arithmetic coding, and a COM segment. */
export function jpeg(depicts: string): Buffer {
  const segment = (marker: number, data: Buffer): Buffer =>
    Buffer.concat([bytes(0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff), data]);
  const quantisation = Buffer.alloc(65, 16);
  quantisation[0] = 0;
  return Buffer.concat([
    bytes(0xff, 0xd8),
    segment(0xe0, Buffer.concat([text('JFIF\0'), bytes(1, 1, 0, 0, 1, 0, 1, 0, 0)])),
    segment(0xfe, comment(depicts)),
    segment(0xdb, quantisation),
    segment(0xc9, bytes(8, 0, 1, 0, 1, 1, 1, 0x11, 0)),
    segment(0xcc, bytes(0, 0x10, 0x10, 5)),
    segment(0xda, bytes(1, 1, 0, 0, 63, 0)),
    bytes(0xd2, 0xcf, 0x20, 0xff, 0xd9),
  ]);
}

/** GIF89a: one pixel, and a comment extension. */
export function gif(depicts: string): Buffer {
  const words = comment(depicts);
  return Buffer.concat([
    text('GIF89a'),
    bytes(1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff),
    bytes(0x21, 0xfe, words.length),
    words,
    bytes(0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b),
  ]);
}

function riff(form: string, chunks: readonly (readonly [string, Buffer])[]): Buffer {
  const body = Buffer.concat(
    chunks.flatMap(([id, data]) => [
      text(id),
      le32(data.length),
      data,
      Buffer.alloc(data.length % 2),
    ]),
  );
  return Buffer.concat([text('RIFF'), le32(body.length + 4), text(form), body]);
}

/** WebP: one lossless pixel, and a chunk of its own. */
export function webp(depicts: string): Buffer {
  return riff('WEBP', [
    ['VP8L', bytes(0x2f, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 0x07, 0)],
    ['NOTE', comment(depicts)],
  ]);
}

/** WAVE: a hundredth of a second of silence, and a comment. */
export function wav(depicts: string): Buffer {
  const words = comment(depicts);
  const info = Buffer.concat([text('INFOICMT'), le32(words.length), words]);
  return riff('WAVE', [
    ['fmt ', Buffer.concat([le16(1), le16(1), le32(8000), le32(8000), le16(1), le16(8)])],
    ['LIST', Buffer.concat([info, Buffer.alloc(info.length % 2)])],
    ['data', Buffer.alloc(80, 0x80)],
  ]);
}

function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([be32(body.length + 8), text(type), body]);
}

/** An ISO base media file of a brand, with the tracks of these handlers. */
export function isoMedia(brand: string, depicts: string, handlers: readonly string[] = []): Buffer {
  const tracks = handlers.map((handler) =>
    box('trak', box('mdia', box('hdlr', Buffer.alloc(8), text(handler), Buffer.alloc(13)))),
  );
  return Buffer.concat([
    box('ftyp', text(brand), be32(0), text(brand)),
    box('free', comment(depicts)),
    box('moov', ...tracks),
  ]);
}

/** MPEG audio, layer III: an ID3v2 comment before two empty frames of 64 kbit/s and 44.1 kHz. */
export function mp3(depicts: string): Buffer {
  const words = comment(depicts);
  const frame = Buffer.alloc(208);
  bytes(0xff, 0xfb, 0x50, 0xc0).copy(frame);
  const body = Buffer.concat([bytes(0), text('eng\0'), words]);
  const tag = Buffer.concat([text('COMM'), be32(body.length), bytes(0, 0), body]);
  const size = bytes(0, 0, tag.length >> 7, tag.length & 0x7f);
  return Buffer.concat([text('ID3'), bytes(3, 0, 0), size, tag, frame, frame]);
}

/** Audio in ADTS: one empty frame, followed by bytes that players ignore. */
export function aac(depicts: string): Buffer {
  return Buffer.concat([bytes(0xff, 0xf1, 0x50, 0x80, 1, 0x1f, 0xfc, 0, 0), comment(depicts)]);
}

function vorbisComment(depicts: string): Buffer {
  const words = Buffer.concat([text('COMMENT='), comment(depicts)]);
  return Buffer.concat([le32(4), text('test'), le32(1), le32(words.length), words]);
}

/** FLAC: stream information and a comment block, without frames. */
function flac(depicts: string): Buffer {
  const words = vorbisComment(depicts);
  const info = Buffer.alloc(34);
  return Buffer.concat([
    text('fLaC'),
    bytes(0, 0, 0, 34),
    info,
    bytes(0x84, 0, words.length >> 8, words.length & 0xff),
    words,
  ]);
}

function oggPage(flags: number, sequence: number, packet: Buffer): Buffer {
  return Buffer.concat([
    text('OggS'),
    bytes(0, flags),
    Buffer.alloc(8),
    le32(7),
    le32(sequence),
    le32(0),
    bytes(1, packet.length),
    packet,
  ]);
}

/** Vorbis in Ogg: the identification and the comment header. */
function ogg(depicts: string): Buffer {
  const head = Buffer.concat([bytes(1), text('vorbis'), Buffer.alloc(23)]);
  const words = Buffer.concat([bytes(3), text('vorbis'), vorbisComment(depicts), bytes(1)]);
  return Buffer.concat([oggPage(2, 0, head), oggPage(4, 1, words)]);
}

/** Opus in Ogg: the same. */
function opus(depicts: string): Buffer {
  const head = Buffer.concat([text('OpusHead'), bytes(1, 1, 0, 0), le32(48_000), bytes(0, 0, 0)]);
  const words = Buffer.concat([text('OpusTags'), vorbisComment(depicts)]);
  return Buffer.concat([oggPage(2, 0, head), oggPage(4, 1, words)]);
}

/** Every ending that memory search §2.7 names: how to make such a file, and what it is. */
export const MEDIA_FORMATS: Readonly<
  Record<string, { readonly make: (depicts: string) => Buffer; readonly mimeType: string }>
> = {
  jpg: { make: jpeg, mimeType: 'image/jpeg' },
  jpeg: { make: jpeg, mimeType: 'image/jpeg' },
  png: { make: png, mimeType: 'image/png' },
  webp: { make: webp, mimeType: 'image/webp' },
  gif: { make: gif, mimeType: 'image/gif' },
  heic: { make: (depicts) => isoMedia('heic', depicts), mimeType: 'image/heic' },
  heif: { make: (depicts) => isoMedia('mif1', depicts), mimeType: 'image/heif' },
  mp3: { make: mp3, mimeType: 'audio/mpeg' },
  wav: { make: wav, mimeType: 'audio/wav' },
  ogg: { make: ogg, mimeType: 'audio/ogg' },
  opus: { make: opus, mimeType: 'audio/ogg' },
  m4a: { make: (depicts) => isoMedia('M4A ', depicts, ['soun']), mimeType: 'audio/mp4' },
  aac: { make: aac, mimeType: 'audio/aac' },
  flac: { make: flac, mimeType: 'audio/flac' },
};
