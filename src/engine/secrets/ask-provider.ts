import { envLookup } from './env-lookup.js';
import { findProvider } from './find-provider.js';
import type { Inquiry, SecretContext } from './secret-context.js';
import { SecretFault, type SecretLookup } from './secret-fault.js';

/**
 * Asks one provider. Code for files and programs is loaded only when it is needed: a key in a
 * variable is on the way of every search.
 *
 * @throws SecretFault when the provider as a whole fails; or the signal's reason
 */
export async function askProvider(inquiry: Inquiry, context: SecretContext): Promise<SecretLookup> {
  const { settings, env, signal } = context;
  const { ids, provider: alias } = inquiry;
  const provider = findProvider(inquiry, settings);
  const { maxRefsPerProvider } = settings.resolution;
  if (ids.length > maxRefsPerProvider) {
    throw new SecretFault(
      `the secret provider "${alias}" is asked for ${ids.length} secrets at once, more than ${maxRefsPerProvider}`,
      `svc config set secrets.resolution.maxRefsPerProvider ${ids.length}, or use a second provider`,
    );
  }
  switch (provider.source) {
    case 'env':
      return envLookup(provider, alias, env);
    case 'file': {
      const { fileLookup } = await import('./file/file-lookup.js');
      return fileLookup(provider, alias, signal);
    }
    case 'exec': {
      const { programLookup } = await import('./exec/program-lookup.js');
      return programLookup(provider, inquiry, context);
    }
  }
}
