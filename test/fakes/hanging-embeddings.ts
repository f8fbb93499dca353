import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';

/** A vendor in OpenAI's form that embeds everything but one question, which it leaves waiting. */
export interface HangingEmbeddings {
  readonly origin: string;
  /** Resolves when the question has arrived. */
  readonly whenAsked: Promise<void>;
  /** Resolves when the client has disconnected. */
  readonly whenDropped: Promise<void>;
  /** Answers it after all, and at once from now on. */
  readonly answer: () => void;
  readonly close: () => Promise<void>;
}

const request = z.object({ input: z.union([z.string(), z.array(z.string())]) });

/** Starts it. @param question the text that is not answered */
export async function startHangingEmbeddings(question: string): Promise<HangingEmbeddings> {
  let onAsked = (): void => undefined;
  let onDropped = (): void => undefined;
  let onAnswered = (): void => undefined;
  const whenAsked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const whenDropped = new Promise<void>((resolve) => {
    onDropped = resolve;
  });
  const whenAnswered = new Promise<void>((resolve) => {
    onAnswered = resolve;
  });
  const inputsOf = async (incoming: IncomingMessage): Promise<readonly string[]> =>
    [request.parse(JSON.parse(await text(incoming))).input].flat();
  const server = createServer(async (incoming, outgoing) => {
    const inputs = await inputsOf(incoming);
    if (inputs.includes(question)) {
      outgoing.once('close', onDropped);
      onAsked();
      await whenAnswered;
    }
    const data = inputs.map((input, index) => {
      return { object: 'embedding', index, embedding: [1, input.length % 7, 0.5] };
    });
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify({ object: 'list', data, model: 'text-embedding-3-small', usage }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    whenAsked,
    whenDropped,
    answer: () => onAnswered(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
