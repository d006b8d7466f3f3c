/** What platforms set for a process behind their proxies. */
const PLATFORMS: Record<string, string> = {
  DYNO: 'Heroku',
  FLY_APP_NAME: 'Fly.io',
  K_SERVICE: 'Cloud Run',
  RAILWAY_ENVIRONMENT: 'Railway',
  RENDER: 'Render',
  WEBSITE_HOSTNAME: 'Azure App Service',
  KUBERNETES_SERVICE_HOST: 'Kubernetes, where an ingress usually is',
};

/** A platform whose proxies stand before this process, by the variables that it sets. */
export function platformWithProxy(environment: NodeJS.ProcessEnv): string | undefined {
  const sign = Object.keys(PLATFORMS).find((name) => environment[name]);
  return sign && PLATFORMS[sign];
}
