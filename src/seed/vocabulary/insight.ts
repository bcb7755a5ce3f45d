/** What arrives in the lake from outside, and what analysts build on it; written like the shop's schemas. */
export const webSchema = `
web: Behaviour of visitors on the site and in the app
  page_view: A page that a visitor saw | session_key visitor_key page_path referrer_url viewed_at device_class \
country_code
  session: A visit | session_key visitor_key started_at ended_at page_count is_bounce campaign_code device_class
  click: A click on something measured | session_key element_name page_path clicked_at position_index
  search_request: What a visitor typed into the search box | session_key query_text result_count clicked_position \
searched_at
  experiment: A test of two variants | experiment_name hypothesis_text started_on ended_on winner_name
  experiment_exposure: A visitor who saw a variant | experiment_id visitor_key variant_name exposed_at
`

export const partnerSchema = `
partners: Files that partners deliver
  ad_spend: What an advertisement cost on a day | platform_name campaign_code spend_date impression_count click_count \
spend_amount currency_code
  marketplace_order: An order through a marketplace | marketplace_name marketplace_order_number placed_at gross_amount \
commission_amount currency_code
  weather: The weather of a place on a day | city weather_date temperature_celsius precipitation_millimetres wind_speed
  postal_area: Official postal codes with population | postal_code city country_code population_count latitude longitude
  holiday: Public holidays | country_code holiday_date holiday_name is_nationwide
  competitor_price: A price seen elsewhere | competitor_name gtin_code seen_price currency_code seen_at
`

export const analyticsSchemas = `
core: Conformed dimensions and facts, one truth for all
  dim_customer: One row for each customer, history kept | customer_number country_code loyalty_tier segment_name \
first_order_on lifetime_amount is_active valid_from valid_until
  dim_product: One row for each variant with its product, brand and category | sku_code product_name brand_name \
category_path season_code colour_name unit_price valid_from valid_until
  dim_date: The calendar with holidays and fiscal periods | calendar_date week_number month_number fiscal_period_code \
is_weekend is_holiday
  dim_store: Shops with region and size | store_code store_name region_name country_code floor_area opened_on
  dim_supplier: Suppliers with their rating | supplier_number supplier_name country_code risk_class quality_score
  dim_carrier: Carriers with their average times | carrier_code carrier_name country_code average_days
  dim_employee: Employees without personal details | employee_number position_title department_name job_grade hired_on
  dim_campaign: Campaigns over all platforms | campaign_code campaign_name platform_name starts_on ends_on budget_amount
  fct_order: One row for each order | customer_key date_key channel_code gross_amount discount_amount tax_amount \
net_amount margin_amount item_count
  fct_order_line: One row for each product of an order | order_key product_key date_key quantity net_amount \
cost_amount margin_amount
  fct_payment: One row for each payment | order_key date_key payment_method amount fee_amount is_refunded
  fct_shipment: One row for each parcel | order_key carrier_key date_key shipping_cost delivery_days is_late
  fct_return: One row for each product that came back | order_key product_key date_key return_reason quantity \
refund_amount
  fct_stock_daily: Stock of each variant at the end of a day | product_key warehouse_code date_key on_hand_quantity \
reserved_quantity stock_value
  fct_store_sale: One row for each sale in a shop | store_key date_key gross_amount tax_amount item_count
  fct_session: One row for each visit | date_key device_class campaign_code page_count is_bounce order_count
  fct_ticket: One row for each request to the service | customer_key date_key channel_code first_answer_minutes \
solve_hours star_rating
marts_sales: Sales as the commercial teams look at them
  sales_daily: Sales of a day by channel and country | calendar_date channel_code country_code order_count net_amount \
margin_amount average_basket
  sales_by_category: Sales of a month by category | month_number category_path net_amount margin_rate return_rate
  sales_by_store: Sales of a day by shop | calendar_date store_code net_amount visitor_count conversion_rate
  top_products: The best sellers of a week | week_number sku_code rank_position net_amount quantity
  basket_pairs: Products that are bought together | sku_code other_sku_code pair_count lift_score
  price_elasticity: How demand follows the price | sku_code elasticity_score sample_count estimated_at
  sales_forecast: Expected sales of the next weeks | week_number country_code forecast_amount lower_bound upper_bound \
model_version
marts_marketing: Campaigns, segments and what they bring
  campaign_performance: What a campaign cost and brought | campaign_code spend_amount order_count net_amount \
return_on_spend
  channel_attribution: Orders by the channels that led to them | calendar_date channel_code attributed_amount \
attribution_model
  customer_lifetime_value: What a customer is expected to spend | customer_number predicted_amount confidence_score \
model_version
  churn_risk: Who is likely to leave | customer_number churn_score last_order_on model_version
  newsletter_performance: How an issue was received | subject_line sent_at open_rate click_rate unsubscribe_count
  segment_overview: Size and value of each segment | segment_name customer_count net_amount average_basket
  search_terms: What visitors look for and whether they find it | query_text search_count zero_result_rate click_rate
  experiment_results: Outcome of the tests | experiment_name variant_name visitor_count conversion_rate uplift_rate \
is_significant
marts_finance: Figures that the books and the board agree on
  revenue_recognised: Revenue by month and country | period_code country_code gross_amount net_amount tax_amount
  margin_bridge: Why the margin changed | period_code effect_name effect_amount
  receivables_ageing: Open invoices by age | snapshot_date age_bucket open_amount invoice_count
  payables_ageing: Open bills of suppliers by age | snapshot_date age_bucket open_amount invoice_count
  budget_variance: Plan against actual | period_code cost_centre_code planned_amount actual_amount variance_rate
  provider_fees: What payment providers charge | period_code provider_name fee_amount fee_rate
  cash_flow: Cash in and out by week | week_number inflow_amount outflow_amount balance_amount
marts_supply: Stock, suppliers and deliveries
  stock_coverage: For how many days the stock lasts | snapshot_date sku_code warehouse_code coverage_days stock_value
  out_of_stock: Variants that could not be sold | calendar_date sku_code lost_amount hours_out
  supplier_scorecard: Suppliers by quality and punctuality | period_code supplier_number quality_score punctuality_score
  delivery_performance: Promised against delivered | calendar_date carrier_code parcel_count late_rate average_days
  return_reasons: Why products come back | month_number category_path return_reason return_rate
  warehouse_productivity: Parcels by hour and shift | shift_date warehouse_code parcels_packed parcels_per_hour
  replenishment_advice: What to order now | sku_code supplier_number advised_quantity urgency_score
machine_learning: Features and predictions
  features_customer: Features of each customer | customer_number order_count_90d net_amount_90d days_since_order \
return_rate email_open_rate feature_vector
  features_product: Features of each variant | sku_code view_count_30d sale_count_30d price_rank review_score \
feature_vector
  features_order: Features of each order, for fraud | order_number amount_zscore address_distance_km card_age_days \
velocity_score
  predictions_fraud: What the fraud model said | order_number risk_score verdict_code model_version predicted_at
  predictions_demand: Expected demand by variant | sku_code week_number forecast_quantity model_version
  recommendations: Products to show to a customer | customer_number sku_code rank_position score model_version
reporting: Snapshots for dashboards and the board
  board_kpi: Key figures by month | period_code kpi_name kpi_value target_value kpi_unit
  data_quality_daily: Results of the checks by day | calendar_date table_name check_count failed_count pass_rate
  pipeline_runs: Runs of the pipelines | pipeline_name started_at finished_at run_status row_count
  sustainability: Emissions and packaging by month | period_code scope_code emission_kg packaging_kg recycled_rate
`
