import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unlessSystemError } from '../../support/files.js';
import { bareName, fixed, listed, range } from '../dimensions.js';
import { type DetectionScene, HOSTED, type Provider } from '../provider.js';

const MODEL = 'amazon.titan-embed-text-v2:0';

/** Cohere's `input_type` and Nova's `embeddingPurpose`: a request with another value is refused. */
const LABELS: readonly (readonly [names: RegExp, labels: readonly string[]])[] = [
  [/^cohere\./u, ['search_document', 'search_query', 'classification', 'clustering']],
  [
    /^amazon\.nova/u,
    [
      'GENERIC_INDEX',
      'GENERIC_RETRIEVAL',
      'TEXT_RETRIEVAL',
      'IMAGE_RETRIEVAL',
      'VIDEO_RETRIEVAL',
      'DOCUMENT_RETRIEVAL',
      'AUDIO_RETRIEVAL',
      'CLASSIFICATION',
      'CLUSTERING',
    ],
  ],
];

/** Amazon Bedrock: models of several vendors, in AWS regions and with AWS credentials. */
export const bedrock: Provider<'bedrock'> = {
  ...HOSTED,
  id: 'bedrock',
  kind: 'cloud-platform',
  prefixes: ['bedrock', 'amazon-bedrock', 'aws'],
  endpoint: null,
  endpointKnown: 'configured',
  model: MODEL,
  // From spec/memory-search §2.3.
  dimensions: {
    'amazon.titan-embed-text-v2': listed(256, 512, 1024),
    'amazon.titan-embed-text-v1': fixed(1536),
    'amazon.titan-embed-g1-text-02': fixed(1536),
    'amazon.titan-embed-image-v1': fixed(1024),
    'amazon.nova-2-multimodal-embeddings-v1': listed(256, 384, 1024, 3072),
    'cohere.embed-english-v3': fixed(1024),
    'cohere.embed-multilingual-v3': fixed(1024),
    'cohere.embed-v4': range(256, 1536),
    'twelvelabs.marengo-embed-3-0-v1': fixed(512),
    'twelvelabs.marengo-embed-2-7-v1': fixed(1024),
  },
  // Region and throughput.
  unchanging: /^[a-z-]+\.(?=[a-z\d]+\.)|:.*/gsu,
  key: {
    variables: [],
    required: false,
    ambient: true,
    hint: 'it uses AWS credentials: environment, profile or role; sign in with "aws sso login"',
  },
  detect: (scene) => {
    const because = awsCredentialSource(scene);
    return because === undefined
      ? { available: false, why: 'no AWS credentials in the environment or in ~/.aws' }
      : { available: true, because };
  },
  inputTypes: 'always',
  labels: (model) => {
    const name = bareName(bedrock, model);
    return LABELS.find(([names]) => names.test(name))?.[1] ?? [];
  },
  open: async (settings, tools) => {
    const { createBedrockVendor } = await import('./vendor.js');
    const model = settings.model ?? MODEL;
    return createBedrockVendor({ ...settings, model }, tools, bedrock);
  },
};

/**
 * A sign of AWS credentials, as `env AWS_ACCESS_KEY_ID`. Every search with `provider: auto` asks
 * for it, so it loads no SDK, sends nothing and reads at most two small files. Instance metadata
 * counts only if Bedrock is configured, since asking for it would delay every machine outside of
 * AWS.
 */
export function awsCredentialSource({
  env,
  homeDir,
}: Pick<DetectionScene, 'env' | 'homeDir'>): string | undefined {
  for (const names of ENVIRONMENT) {
    if (names.every((name) => env[name]?.trim())) return `env ${names[0]}`;
  }
  const profile = env['AWS_PROFILE'] || 'default';
  const files = [
    env['AWS_SHARED_CREDENTIALS_FILE'] || join(homeDir, '.aws/credentials'),
    env['AWS_CONFIG_FILE'] || join(homeDir, '.aws/config'),
  ];
  const found = files.some((file) => givesCredentials(file, profile));
  return found ? `AWS profile ${profile}` : undefined;
}

/** Sets of variables, in the order of the chain. */
const ENVIRONMENT = [
  ['AWS_BEARER_TOKEN_BEDROCK'],
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'],
  ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'],
  ['AWS_CONTAINER_CREDENTIALS_FULL_URI'],
] as const;

/** Keys of a profile with credentials; others only set a region. */
const TELLING_KEY =
  /^(?:aws_access_key_id|credential_process|login_session|role_arn|sso_session|sso_start_url)\s*=/u;

/** Whether a shared file has credentials for the profile. */
function givesCredentials(file: string, profile: string): boolean {
  let inProfile = false;
  // None if the file cannot be read.
  const text = unlessSystemError(() => readFileSync(file, 'utf8')) ?? '';
  for (const line of text.split(/\r?\n/u).map((one) => one.trim())) {
    const section = /^\[([^\]]*)\]/u
      .exec(line)?.[1]
      ?.trim()
      .replace(/^profile\s+/u, '');
    if (section !== undefined) inProfile = section.replaceAll(/^(["'])(.*)\1$/gu, '$2') === profile;
    else if (inProfile && TELLING_KEY.test(line)) return true;
  }
  return false;
}
