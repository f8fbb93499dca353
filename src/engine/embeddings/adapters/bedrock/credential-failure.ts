import { messageOf } from '../../../errors/index.js';
import { jsonAt, messageIn } from '../../http/status-fault.js';
import { VendorFault } from '../../vendor-fault.js';

/** A place of the chain that is set up, with what its provider threw. */
export interface CredentialFailure {
  readonly step: string;
  readonly error: unknown;
}

/**
 * The fault of a chain that gave nothing: `auth`, or `network` where the failures are of the kind
 * that passes. What the providers threw does not go along as a cause: it may hold secrets.
 *
 * @param profile AWS_PROFILE
 */
export function nothingFound(
  failures: readonly CredentialFailure[],
  profile: string | undefined,
): VendorFault {
  const texts = failures.map(({ step, error }) => `${step}: ${shortReason(error)}`);
  // The profile's login fails twice, as a step of its own and as part of the shared files.
  const told = texts.filter(
    (text, i) => !texts.slice(0, i).some((other) => sameReason(other, text)),
  );
  const passing = failures.some(({ error }) => mayPass(error));
  return new VendorFault({
    kind: passing ? 'network' : 'auth',
    message:
      told.length === 0 ? 'no AWS credentials found' : `no AWS credentials; ${told.join('; ')}`,
    hint: passing ? 'check the connection of this machine to AWS' : hintFor(failures, profile),
  });
}

function hintFor(failures: readonly CredentialFailure[], profile: string | undefined): string {
  return failures.some(({ step }) => step.startsWith('SSO'))
    ? `aws sso login${profile ? ` --profile ${profile}` : ''} renews the login`
    : 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK';
}

function sameReason(a: string, b: string): boolean {
  return a.slice(a.indexOf(': ')) === b.slice(b.indexOf(': '));
}

function shortReason(error: unknown): string {
  const text = messageOf(error);
  // What was run, and what it printed, may hold secrets.
  if (text.startsWith('Command failed')) return 'its credential_process failed';
  return messageIn(text) ?? 'failed';
}

/** Whether a failure is the network's or a service's, and not of what is set up. */
function mayPass(error: unknown): boolean {
  const status = jsonAt(error, '$metadata', 'httpStatusCode');
  if (typeof status === 'number') return status >= 500 || status === 429;
  const text = `${String(jsonAt(error, 'code'))} ${messageOf(error)}`;
  return /ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|TimeoutError/u.test(text);
}
