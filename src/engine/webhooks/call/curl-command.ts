import { singleQuoted } from '../../single-quoted.js';

/** What a shell is to send. */
export interface CurlRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The variable that stands for the secret of the route. */
const SECRET_VARIABLE = 'SVC_WEBHOOK_SECRET';

/** The same request as a command of curl, with a variable in place of the secret. */
export function curlCommand({ url, headers, body }: CurlRequest): string {
  const given = Object.entries(headers).map(
    ([name, value]) => `-H ${singleQuoted(`${name}: ${value}`)}`,
  );
  return [
    'curl -sS',
    `-H "authorization: Bearer $${SECRET_VARIABLE}"`,
    ...given,
    `--data ${singleQuoted(body)}`,
    singleQuoted(url),
  ].join(' ');
}
