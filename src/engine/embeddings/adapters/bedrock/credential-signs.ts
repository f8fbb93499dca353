import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineContext } from '../../../context.js';

/**
 * Where AWS credentials seem to be, as `env AWS_ACCESS_KEY_ID`; undefined where there is no sign of
 * any. It decides whether `provider: auto` may choose Bedrock, which is asked at every search: so
 * it loads no SDK, asks nobody, and reads two small files at most. Instance metadata, which would
 * be a wait on every machine that is none of AWS's, counts only where Bedrock is configured.
 *
 * @param homeDir absolute path
 */
export function awsCredentialSource(
  env: EngineContext['env'],
  homeDir: string,
): string | undefined {
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

/** Variables that only count together, in the order of the chain. */
const ENVIRONMENT = [
  ['AWS_BEARER_TOKEN_BEDROCK'],
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'],
  ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'],
  ['AWS_CONTAINER_CREDENTIALS_FULL_URI'],
] as const;

/** A profile with one of these gets credentials from somewhere; others only name a region. */
const TELLING_KEY =
  /^(?:aws_access_key_id|credential_process|login_session|role_arn|sso_session|sso_start_url)\s*=/u;

/** Whether a shared file has a section for the profile that says how to get credentials. */
function givesCredentials(file: string, profile: string): boolean {
  let inProfile = false;
  for (const line of linesOf(file)) {
    const section = /^\[\s*(?:profile\s+)?(.*?)\s*\]/u.exec(line)?.[1];
    if (section !== undefined) inProfile = section.replaceAll(/^(["'])(.*)\1$/gu, '$2') === profile;
    else if (inProfile && TELLING_KEY.test(line)) return true;
  }
  return false;
}

/** Lines without blanks around them; none where the file cannot be read. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split(/\r?\n/u)
      .map((line) => line.trim());
  } catch {
    return [];
  }
}
