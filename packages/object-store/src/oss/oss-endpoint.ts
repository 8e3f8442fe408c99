import { endpointUrl } from "../s3/endpoint-url.ts";

/** Where OSS is reached with the protocol of S3. */
export interface OssEndpoint {
  readonly url: URL;
  readonly region: string;
}

/** The default of coreos/etcd-operator. */
const DEFAULT_ENDPOINT = "https://oss-cn-hangzhou.aliyuncs.com";

/**
 * What to ask instead of an endpoint of a region: OSS speaks S3 under names of its own,
 * "s3.oss-cn-hangzhou.aliyuncs.com" for "oss-cn-hangzhou.aliyuncs.com". Other hosts, such as proxies, are asked as they
 * are.
 */
export function ossEndpoint(endpoint = DEFAULT_ENDPOINT): OssEndpoint {
  const url = endpointUrl(endpoint);
  const [, region, isInternal = ""] =
    /^(?:s3\.)?oss-([a-z0-9-]+?)(-internal)?\.aliyuncs\.com$/.exec(url.hostname) ?? [];
  if (region === undefined) return { url, region: "oss" };
  url.hostname = `s3.oss-${region}${isInternal}.aliyuncs.com`;
  return { url, region };
}
