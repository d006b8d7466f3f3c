import './operation/startup/node-version.js';
import module from 'node:module';
import { projectFile } from './base/files/project.js';

process.setSourceMapsEnabled(true); // stack traces name the sources
// Node does not warn of deprecated calls below node_modules, and the bundle is not there.
if (!process.traceDeprecation && !process.throwDeprecation) process.noDeprecation = true;
// Keeps what V8 compiles for the next start, which is then a fifth faster.
module.enableCompileCache(projectFile('node_modules/.cache/steady/compiled'));
await import('./operation/service/start.js');
