import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A row, in the order of its columns. */
export type FakeRow = Readonly<Record<string, string>>;

/** A server without SQL: it implements just enough of the wire protocol for statements without values. */
export interface PostgresFake {
  readonly url: string;
  stop(): Promise<void>;
}

const INT4 = 4;
const TEXT_OID = 25;
const SSL_REQUEST = 80_877_103;

/** @param answer the rows for a statement */
export async function startPostgresFake(
  answer: (sql: string) => readonly FakeRow[],
): Promise<PostgresFake> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let pending: Buffer = Buffer.alloc(0);
    let isStarted = false;
    const handle = (type: string, body: Buffer): void => {
      if (type === 'Q') socket.write(rowsMessage(answer(body.subarray(0, -1).toString())));
      if (type === 'X') socket.end();
      if (type !== 'startup') return;
      if (body.readInt32BE(0) === SSL_REQUEST) {
        socket.write('N');
        return;
      }
      isStarted = true;
      socket.write(Buffer.concat([message('R', int32(0)), READY]));
    };
    socket.on('data', (data) => {
      pending = Buffer.concat([pending, data]);
      for (;;) {
        // The first message has no type.
        const head = isStarted ? 1 : 0;
        if (pending.length < head + INT4) return;
        const end = head + pending.readInt32BE(head);
        if (pending.length < end) return;
        const type = isStarted ? String.fromCharCode(pending[0] ?? 0) : 'startup';
        const body = pending.subarray(head + INT4, end);
        pending = pending.subarray(end);
        handle(type, body);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `postgres://svc@127.0.0.1:${port}/svc`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const READY = message('Z', Buffer.from('I'));

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + INT4), body]);
}

function rowsMessage(rows: readonly FakeRow[]): Buffer {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((name) =>
    Buffer.concat([
      text(name),
      int32(0),
      int16(0),
      int32(TEXT_OID),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  );
  const data = rows.map((row) => {
    const values = names.map((name) => Buffer.from(row[name] ?? ''));
    return message(
      'D',
      Buffer.concat([
        int16(values.length),
        ...values.flatMap((value) => [int32(value.length), value]),
      ]),
    );
  });
  return Buffer.concat([
    message('T', Buffer.concat([int16(columns.length), ...columns])),
    ...data,
    message('C', text(`SELECT ${rows.length}`)),
    READY,
  ]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(INT4);
  buffer.writeInt32BE(value);
  return buffer;
}
