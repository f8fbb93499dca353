/**
 * The child process that extracts the text of one untrusted file, which it reads from stdin. It is killed by its
 * parent when it takes too long or prints too much.
 */

import { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { type Extraction, MEMORY_LIMIT_BYTES, OUT_OF_MEMORY } from './limits.js';

/** Buffers are not part of the heap that `--max-old-space-size` limits. V8 uses the same signal for the heap. */
const WATCHDOG = `setInterval(() => {
  if (process.memoryUsage.rss() > ${2 * MEMORY_LIMIT_BYTES}) process.kill(process.pid, '${OUT_OF_MEMORY}');
}, 20);`;

async function main(): Promise<void> {
  new Worker(WATCHDOG, { eval: true }).unref();
  // No format needs the network. Whatever a library opened would be a socket.
  Socket.prototype.connect = () => {
    throw new Error('no network here');
  };
  const extraction = await extract(await buffer(process.stdin));
  process.stdout.write(JSON.stringify(extraction), () => process.exit());
}

async function extract(bytes: Uint8Array): Promise<Extraction> {
  const [format, libraryDir = ''] = process.argv.slice(2);
  try {
    switch (format) {
      case 'html': {
        const { htmlText } = await import('./html-text.js');
        return htmlText(bytes);
      }
      case 'docx': {
        const { docxText } = await import('./docx-text.js');
        return docxText(bytes);
      }
      default: {
        const { pdfText } = await import('./pdf-text.js');
        return await pdfText(bytes, libraryDir);
      }
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, fault: 'invalid', detail };
  }
}

void main();
