import type { IncomingHttpHeaders } from 'node:http';

const JSON_TYPE = /^application\/(?:json|[\w!#$&^.+-]+\+json)[ \t]*(?:;(.*))?$/isu;
const CHARSET = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^\s";]*)/iu;

/** Whether a body is said to be JSON in UTF-8 as it is, without compression. */
export function isJsonBody(headers: IncomingHttpHeaders): boolean {
  const parts = JSON_TYPE.exec(headers['content-type'] ?? '');
  if (parts === null) return false;
  const charset = CHARSET.exec(parts[1] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  return (charset === 'utf-8' || charset === 'utf8') && encoding === 'identity';
}
