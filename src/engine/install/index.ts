/* npm packages that svc installs on request, into its state folder. Installing is a separate entry point. */

export { type InstalledPackages, readInstalled } from './installed-packages.js';
