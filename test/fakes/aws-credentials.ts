import {
  type FakeAnswer,
  type FakeVendor,
  type RecordedRequest,
  startFake,
} from './fake-vendor.js';

/** Which services answer; the others are there but refuse. */
export interface AwsCredentialsFakeOptions {
  readonly sts?: boolean;
  readonly sso?: boolean;
  readonly container?: boolean;
  readonly instance?: boolean;
}

const IMDS = '/latest/meta-data/iam/security-credentials/';
const EXPIRES = '2099-01-01T00:00:00Z';

/**
 * The services that AWS's credential chain asks: STS (query API, web identity), SSO's portal, the
 * container's credentials (`/container`) and instance metadata (version 2). Each gives an access
 * key that says where it is from.
 */
export async function startAwsCredentialsFake(
  options: AwsCredentialsFakeOptions,
): Promise<FakeVendor> {
  return startFake({ answer: (request) => answer(request, options), troubleAnswers: {} });
}

function answer(request: RecordedRequest, options: AwsCredentialsFakeOptions): FakeAnswer {
  const { method, path } = request;
  if (method === 'POST' && path === '/') return options.sts === true ? sts(request) : REFUSED_STS;
  if (path.startsWith('/federation/credentials')) {
    return options.sso === true ? sso(request) : { status: 401, body: { message: 'Refused.' } };
  }
  if (path === '/container' && options.container === true) {
    return { status: 200, body: keys('FROMCONTAINER') };
  }
  if (options.instance !== true) return { status: 404, body: '' };
  if (method === 'PUT' && path === '/latest/api/token') return { status: 200, body: 'token' };
  if (request.headers['x-aws-ec2-metadata-token'] !== 'token') return { status: 401, body: '' };
  if (path === IMDS) return { status: 200, body: 'the-role' };
  if (path === `${IMDS}the-role`) return { status: 200, body: keys('FROMINSTANCE') };
  return { status: 404, body: '' };
}

function keys(accessKeyId: string): Readonly<Record<string, string>> {
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: 'secret',
    Token: 'session',
    Expiration: EXPIRES,
  };
}

const REFUSED_STS: FakeAnswer = {
  status: 400,
  headers: { 'content-type': 'text/xml' },
  body: '<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>The web identity token is refused.</Message></Error></ErrorResponse>',
};

function sts({ body }: RecordedRequest): FakeAnswer {
  const form = new URLSearchParams(body.toString('utf8'));
  const action = form.get('Action');
  if (action !== 'AssumeRoleWithWebIdentity' || form.get('WebIdentityToken') !== 'web-token') {
    return REFUSED_STS;
  }
  const credentials = `<AccessKeyId>FROMSTS</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken><Expiration>${EXPIRES}</Expiration>`;
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: `<${action}Response><${action}Result><Credentials>${credentials}</Credentials></${action}Result></${action}Response>`,
  };
}

function sso({ headers }: RecordedRequest): FakeAnswer {
  if (headers['x-amz-sso_bearer_token'] !== 'sso-token') {
    return { status: 401, body: { message: 'Session token not found or invalid' } };
  }
  const roleCredentials = {
    accessKeyId: 'FROMSSO',
    secretAccessKey: 'secret',
    sessionToken: 'session',
    expiration: Date.parse(EXPIRES),
  };
  return { status: 200, body: { roleCredentials } };
}
