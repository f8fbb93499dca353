import type { FakeAnswer } from './fake-vendor.js';

/** An error as the service sends it: the name in a header, here with the tail it may have. */
export function failure(status: number, name: string, message: string): FakeAnswer {
  const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` };
  return { status, headers, body: { message } };
}

/** A ValidationException. */
export function invalid(message: string): FakeAnswer {
  return failure(400, 'ValidationException', message);
}

/** A ValidationException about the body. */
export function malformed(what: string): FakeAnswer {
  return invalid(`Malformed input request: ${what}, please reformat your input and try again.`);
}
