/** Tools that ask other machines: requests, pages, searches, downloads. */

import type { DescriberEntry } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { entries } from '../told.js';
import { toldFetch } from './fetch.js';
import { toldGraphql } from './graphql.js';
import { toldRequest } from './request.js';
import { toldSearch } from './search.js';

const REQUESTS = [
  ...listOf('webhook_send http_put_request http_post_request http_get_request send_api_request'),
  ...listOf('http_request http request make_request send_request api_request api_call call_api'),
  ...listOf('make_http_request send_http_request rest_request rest_api test_request curl curl_request'),
  ...listOf('http_get http_post http_put http_patch http_delete http_head fetch_url fetch_api'),
  ...listOf('requests_get requests_post requests_put requests_patch requests_delete webhook'),
  ...listOf('send_webhook trigger_webhook call_webhook post_webhook  '),
  ...listOf('http_fetch url_request wget axios_request make_api_call invoke_api api_get'),
  ...listOf('api_post'),
];
/** Claude Code, Anthropic, Gemini CLI, the fetch servers of MCP, Firecrawl, Tavily, Exa. */
const PAGES = [
  ...listOf('WebFetch web_fetch fetch fetch_html fetch_markdown fetch_txt fetch_json fetch_page'),
  ...listOf('read_url read_url_content read_web_page open_url get_url url_fetch fetch_content'),
  ...listOf('read_website visit_webpage scrape scrape_url scrape_page scrape_webpage crawl'),
  ...listOf('firecrawl_scrape firecrawl_crawl firecrawl_map firecrawl_batch_scrape firecrawl_extract'),
  ...listOf('tavily_extract tavily_crawl tavily_map crawling_exa get_page_content load_web_page'),
  ...listOf('download download_file download_url fetch_image fetch_webpage web_browser jina_reader'),
];
/** Claude Code, Gemini CLI, OpenAI, LangChain, Brave, Tavily, Exa, Perplexity. */
const SEARCHES = [
  ...listOf('WebSearch web_search web_search_preview google_web_search google_search search_web'),
  ...listOf('brave_web_search brave_local_search brave_news_search duckduckgo_search ddg_search'),
  ...listOf('bing_search tavily_search tavily_search_results_json tavily_answer web_search_exa'),
  ...listOf('exa_search serper google_serper serpapi_search searx_search searxng_web_search'),
  ...listOf('firecrawl_search kagi_search perplexity_search perplexity_ask perplexity_research'),
  ...listOf('search_google internet_search news_search wikipedia search_wikipedia arxiv search_arxiv'),
  ...listOf('search_papers deep_researcher_start'),
];

export const httpTools: readonly DescriberEntry[] = [
  ...entries(REQUESTS, toldRequest),
  ...entries(
    ['graphql', 'graphql_query', 'query_graphql', 'graphql_request', 'execute_graphql'],
    toldGraphql,
  ),
  ...entries(PAGES, toldFetch),
  ...entries(SEARCHES, toldSearch),
];
