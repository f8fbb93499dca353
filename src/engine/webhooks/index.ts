/*
 * The HTTP listener of webhooks. Imported directly because they load much: `open-webhooks.js` (the listener),
 * `live-webhooks.js`, `openapi-document.js`, `call-route.js`, `trigger-preset.js`,
 * `rotate-secret.js`, `map/try-mapping.js`, `deliveries/*.js`, `verify/verifier.js`.
 */
export {
  type LastAnswer,
  type RouteActivity,
  readActivity,
  WebhookActivity,
} from './activity.js';
export type { DeliveryFilter } from './deliveries/delivery-file.js';
export type { Delivery, DeliveryDetails } from './deliveries/delivery-record.js';
export type { LiveWebhooks, WebhooksSnapshot } from './live-webhooks.js';
export type { WebhookMetrics } from './metrics.js';
export type * from './output-schemas.js';
export { type RouteStatus, resolveRoutes, routeKey, routeStatusesWhenOff } from './routes.js';
