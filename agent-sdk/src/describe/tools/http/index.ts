/** Tools that ask other machines: requests, pages, searches, downloads. */
import type { DescriberEntry } from '../../describer.js';
import { entries } from '../told.js';
import { toldFetch } from './fetch.js';
import { toldRequest } from './request.js';
import { toldSearch } from './search.js';

const REQUESTS = [
  ...[
    'http_request',
    'http',
    'request',
    'make_request',
    'send_request',
    'api_request',
    'api_call',
    'call_api',
  ],
  ...[
    'make_http_request',
    'send_http_request',
    'rest_request',
    'rest_api',
    'test_request',
    'curl',
    'curl_request',
  ],
  ...[
    'http_get',
    'http_post',
    'http_put',
    'http_patch',
    'http_delete',
    'http_head',
    'fetch_url',
    'fetch_api',
  ],
  ...['requests_get', 'requests_post', 'requests_put', 'requests_patch', 'requests_delete', 'webhook'],
  ...[
    'send_webhook',
    'trigger_webhook',
    'call_webhook',
    'post_webhook',
    'graphql_query',
    'query_graphql',
    'graphql',
  ],
  ...[
    'http_fetch',
    'url_request',
    'wget',
    'axios_request',
    'make_api_call',
    'invoke_api',
    'api_get',
    'api_post',
  ],
];
/** Claude Code, Anthropic, Gemini CLI, the fetch servers of MCP, Firecrawl, Tavily, Exa. */
const PAGES = [
  ...[
    'WebFetch',
    'web_fetch',
    'fetch',
    'fetch_html',
    'fetch_markdown',
    'fetch_txt',
    'fetch_json',
    'fetch_page',
  ],
  ...['read_url', 'read_url_content', 'read_web_page', 'open_url', 'get_url', 'url_fetch', 'fetch_content'],
  ...['read_website', 'visit_webpage', 'scrape', 'scrape_url', 'scrape_page', 'scrape_webpage', 'crawl'],
  ...['firecrawl_scrape', 'firecrawl_crawl', 'firecrawl_map', 'firecrawl_batch_scrape', 'firecrawl_extract'],
  ...['tavily_extract', 'tavily_crawl', 'tavily_map', 'crawling_exa', 'get_page_content', 'load_web_page'],
  ...[
    'download',
    'download_file',
    'download_url',
    'fetch_image',
    'fetch_webpage',
    'web_browser',
    'jina_reader',
  ],
];
/** Claude Code, Gemini CLI, OpenAI, LangChain, Brave, Tavily, Exa, Perplexity. */
const SEARCHES = [
  ...['WebSearch', 'web_search', 'web_search_preview', 'google_web_search', 'google_search', 'search_web'],
  ...[
    'brave_web_search',
    'brave_local_search',
    'brave_news_search',
    'duckduckgo_search',
    'ddg_search',
    'bing_search',
  ],
  ...[
    'tavily_search',
    'tavily_search_results_json',
    'tavily_answer',
    'web_search_exa',
    'exa_search',
    'serper',
  ],
  ...[
    'google_serper',
    'serpapi_search',
    'searx_search',
    'searxng_web_search',
    'firecrawl_search',
    'kagi_search',
  ],
  ...[
    'perplexity_search',
    'perplexity_ask',
    'perplexity_research',
    'search_google',
    'internet_search',
    'news_search',
  ],
  ...['wikipedia', 'search_wikipedia', 'arxiv', 'search_arxiv', 'search_papers', 'deep_researcher_start'],
];

export const httpTools: readonly DescriberEntry[] = [
  ...entries(REQUESTS, toldRequest),
  ...entries(PAGES, toldFetch),
  ...entries(SEARCHES, toldSearch),
];
