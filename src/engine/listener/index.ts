export { createHttpServer, readCertificate, sendFault } from './http-server.js';
export { checkAddresses, clientAddressOf, clientNetworkOf, listenOn } from './listen.js';
