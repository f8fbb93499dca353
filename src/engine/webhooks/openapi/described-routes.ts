import type { ResolvedConfig } from '../../config/index.js';
import type { DescribedRoute } from './openapi-document.js';

/** The routes of a configuration that are switched on, as the OpenAPI document describes them. */
export function describedRoutes({ plugins }: Pick<ResolvedConfig, 'plugins'>): DescribedRoute[] {
  const { routes } = plugins.entries.webhooks.config;
  return Object.entries(routes)
    .filter(([, { enabled }]) => enabled)
    .map(([id, { path, description }]) => ({ id, path, description }));
}
