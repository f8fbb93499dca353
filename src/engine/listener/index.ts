export {
  createHttpServer,
  cutLater,
  leaveBodies,
  renewCertificate,
  type UnroutedRequest,
} from './http-server.js';
export {
  checkAddresses,
  clientAddressOf,
  clientNetworkOf,
  listenOn,
  networkList,
} from './listen.js';
export { RateLimiter } from './rate-limiter.js';
