import { PassThrough, Readable, Writable } from 'node:stream';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import type { ChildGroup } from '../../child/child-group.js';
import { readLines } from '../../child/read-lines.js';
import { isRecord } from '../../config/index.js';
import { parsedJson } from '../../parse-json.js';

/** A message may hold a whole file that the agent has read. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;

/**
 * The messages of an agent. What else it writes to stdout, as greetings of wrappers are, is noted and
 * left out: the protocol would take it for a broken message.
 */
export function agentStream(child: ChildGroup, note: (text: string) => void): Stream {
  const messages = new PassThrough();
  readLines(child.stdout, {
    mostBytes: MOST_LINE_BYTES,
    onTooLong: () => note(`a line of more than ${MOST_LINE_BYTES} bytes was left out`),
    onLine: (line) => {
      if (isMessage(line)) messages.write(`${line}\n`);
      else note('a line that is no message was left out');
    },
  });
  child.stdout.on('close', () => messages.end());
  return ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(messages), {
    maxMessageBytes: MOST_LINE_BYTES,
  });
}

function isMessage(line: string): boolean {
  const value = parsedJson(line);
  return isRecord(value) && value['jsonrpc'] === '2.0';
}
