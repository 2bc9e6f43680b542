// Written by `npm run clients` from the OpenAPI document: do not edit.

import type { Operation } from '../request.ts';

export const operations = {
  search: {'method':'get','path':'/api/v1/search','access':'key','inPath':[],'inQuery':['type','query','page','limit','cursor','country','city','tag','ecosystem','company_stage','funding_stage','founded_from','founded_to','employees_min','employees_max','focus','starts_from','starts_to','event_type','online','company','investor','updated_since','not_country','not_city','not_tag','not_ecosystem','not_company_stage','not_funding_stage','not_focus','not_event_type','not_company','not_investor','sort','facets','highlight','literal','collapse','fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  suggest: {'method':'get','path':'/api/v1/suggest','access':'key','inPath':[],'inQuery':['q','type','limit'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  getCompany: {'method':'get','path':'/api/v1/companies/{identifier}','access':'key','inPath':['identifier'],'inQuery':['fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  getPerson: {'method':'get','path':'/api/v1/people/{identifier}','access':'key','inPath':['identifier'],'inQuery':['fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  getInvestor: {'method':'get','path':'/api/v1/investors/{identifier}','access':'key','inPath':['identifier'],'inQuery':['fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  getEvent: {'method':'get','path':'/api/v1/events/{identifier}','access':'key','inPath':['identifier'],'inQuery':['fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  getSimilarCompanies: {'method':'get','path':'/api/v1/companies/{identifier}/similar','access':'key','inPath':['identifier'],'inQuery':['limit','fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  getSimilarPeople: {'method':'get','path':'/api/v1/people/{identifier}/similar','access':'key','inPath':['identifier'],'inQuery':['limit','fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  getSimilarInvestors: {'method':'get','path':'/api/v1/investors/{identifier}/similar','access':'key','inPath':['identifier'],'inQuery':['limit','fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  getSimilarEvents: {'method':'get','path':'/api/v1/events/{identifier}/similar','access':'key','inPath':['identifier'],'inQuery':['limit','fields'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  removals: {'method':'get','path':'/api/v1/removals','access':'key','inPath':[],'inQuery':['type','cursor','limit'],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  bulk: {'method':'post','path':'/api/v1/bulk','access':'key','inPath':[],'inQuery':[],'hasBody':true,'answer':['success','data','message','meta'],'statuses':[200]},
  usage: {'method':'get','path':'/api/v1/usage','access':'key','inPath':[],'inQuery':[],'hasBody':false,'answer':['success','data','message','meta'],'statuses':[200]},
  health: {'method':'get','path':'/api/health','access':'none','inPath':[],'inQuery':['detailed'],'hasBody':false,'answer':['status','timestamp','responseTime','services'],'statuses':[200,503]},
  paidSearch: {'method':'get','path':'/api/v1/x402/search','access':'payment','inPath':[],'inQuery':['q','type','limit','page'],'hasBody':false,'answer':['data','meta'],'statuses':[200]},
  openApi: {'method':'get','path':'/openapi.json','access':'none','inPath':[],'inQuery':[],'hasBody':false,'answer':[],'statuses':[200]},
  docs: {'method':'get','path':'/docs','access':'none','inPath':[],'inQuery':[],'hasBody':false,'answer':null,'statuses':[200]},
  llms: {'method':'get','path':'/llms.txt','access':'none','inPath':[],'inQuery':[],'hasBody':false,'answer':null,'statuses':[200]},
  wellKnownX402: {'method':'get','path':'/.well-known/x402','access':'none','inPath':[],'inQuery':[],'hasBody':false,'answer':[],'statuses':[200]},
} as const satisfies Readonly<Record<string, Operation>>;
