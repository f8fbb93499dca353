import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { type ChildCall, ChildGroup } from '../../../../child/child-group.js';
import { readLines } from '../../../../child/read-lines.js';

/** A longer message is no answer to a question. */
const MOST_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * MCP over the standard streams of a program in a process group of its own: whatever it starts ends with
 * it, which the SDK's own transport does not see to.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly call: ChildCall;
  private child: ChildGroup | undefined;
  private isClosed = false;

  constructor(call: ChildCall) {
    this.call = call;
  }

  async start(): Promise<void> {
    if (this.isClosed) throw new Error('the program was let go of before it was started');
    const child = new ChildGroup(this.call);
    this.child = child;
    readLines(child.stdout, { mostBytes: MOST_MESSAGE_BYTES, onLine: (line) => this.hear(line) });
    // What it says to a person; nobody is there to read it.
    child.stderr.resume();
    child.ended.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (stdin === undefined || stdin.destroyed) throw new Error('the program has ended');
    stdin.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    const { child } = this;
    this.isClosed = true;
    if (child === undefined) return;
    child.stdin.end();
    child.stop();
    await child.ended;
  }

  private hear(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      // A banner among the messages.
      return;
    }
    this.onmessage?.(message);
  }
}
