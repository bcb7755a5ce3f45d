/** Dashboards: `name / part = what it shows`. */
export const dashboardsText = `
Sales today / Web Shop = Orders and revenue of the day, by the hour
Category review / Assortment = Sales, margin and returns by category
Store ranking / Stores = Shops by revenue, visitors and conversion
Basket analysis / Web Shop = What is bought together
Price monitor / Pricing = Our prices against those of others
Promotion results / Pricing = What promotions cost and bring
Customer base / Profiles = New, active and lost customers
Loyalty programme / Loyalty = Members, points and tiers
Churn watch / Profiles = Who is likely to leave, and why
Service desk / Service = Open requests and time to the first answer
Voice of the customer / Reviews = Ratings and what they are about
Campaign cockpit / Campaigns = Spend and return of all campaigns
Attribution / Campaigns = To which channels orders are owed
Newsletter / Campaigns = Opens, clicks and farewells
Site behaviour / Web Analytics = Visits, pages and the funnel
Search quality / Web Analytics = What is looked for and not found
Experiments / Web Analytics = Running and finished tests
Stock overview / Warehousing = Stock, coverage and slow movers
Out of stock / Warehousing = Lost sales by variant
Warehouse floor / Warehousing = Parcels by hour and shift
Delivery promise / Shipping = Promised against delivered
Returns / Shipping = What comes back, and why
Supplier scorecard / Procurement = Quality and punctuality of suppliers
Purchasing pipeline / Procurement = Open orders and expected goods
Monthly closing / Accounting = State of the closing, by task
Receivables / Accounting = Open invoices by age
Margin bridge / Controlling = Why the margin changed
Budget / Controlling = Plan against actual
Workforce / Workforce = Headcount, absence and fluctuation
Board report / Reporting = Key figures for the board
Data quality / Reporting = Results of all checks
Pipeline health / Reporting = Runs, delays and failures
Model monitor / Machine Learning = Drift and hit rates of the models
Sustainability / Reporting = Emissions and packaging
`

/** Models: `name / part / algorithm / target = what it tells | features`. A feature in capitals is a category. */
export const modelsText = `
fraud-score / Payments / Gradient boosting / is_fraud = How doubtful a payment is | amount_zscore address_distance_km \
card_age_days velocity_score PAYMENT_METHOD COUNTRY
chargeback-risk / Payments / Logistic regression / is_disputed = Whether a payment will be disputed | amount_zscore \
card_age_days PROVIDER REASON
churn / Profiles / Gradient boosting / is_lost = Whether a customer will leave | order_count_90d days_since_order \
return_rate email_open_rate TIER
lifetime-value / Profiles / Beta-geometric / margin_24m = What a customer will bring | order_count_90d net_amount_90d \
days_since_order CHANNEL
customer-segments / Profiles / K-means / segment = Groups of customers that behave alike | net_amount_90d return_rate \
discount_share TIER CHANNEL
duplicate-customers / Profiles / Siamese network / is_same = Whether two rows are one person | name_distance \
address_distance_km email_distance
next-best-offer / Campaigns / Factorisation machine / is_accepted = Which offer to show | order_count_90d \
discount_share SEGMENT SEASON
send-time / Campaigns / Random forest / opened_at_hour = When to send a newsletter | open_hour_mean \
open_hour_deviation DEVICE
attribution / Campaigns / Markov chain / contribution = What each channel contributes | touch_count days_to_order \
CHANNEL
subject-line / Campaigns / Transformer / open_rate = How a subject line will be received | word_count sentiment LANGUAGE
recommendations / Assortment / Two-tower network / is_bought = Products for a customer | view_count_30d sale_count_30d \
price_rank review_score CATEGORY
similar-products / Assortment / Embedding / distance = Products that resemble each other | price_rank weight_grams \
BRAND CATEGORY
image-tags / Assortment / Convolutional network / tags = What a picture shows | brightness contrast CATEGORY
size-advice / Assortment / Ordinal regression / size = Which size will fit | height weight return_rate BRAND
review-sentiment / Reviews / Transformer / sentiment = Whether a review is kind | word_count star_rating LANGUAGE
review-spam / Reviews / Gradient boosting / is_spam = Whether a review is real | word_count account_age_days \
burst_score LANGUAGE
price-elasticity / Pricing / Bayesian regression / elasticity = How demand follows the price | price_rank \
sale_count_30d competitor_gap CATEGORY SEASON
markdown-advice / Pricing / Reinforcement learning / discount = When and how far to reduce | stock_days sale_count_30d \
weeks_left SEASON
demand-forecast / Warehousing / Temporal fusion transformer / quantity = Demand by variant and week | sale_count_30d \
price_rank temperature HOLIDAY SEASON
safety-stock / Warehousing / Quantile regression / quantity = Stock to keep against surprises | demand_deviation \
lead_time_days service_level WAREHOUSE
slotting / Warehousing / Simulated annealing / bin = Where to put a variant | pick_count weight_grams volume ZONE
pick-time / Warehousing / Random forest / seconds = How long a fetch takes | line_count distance_m SHIFT
delivery-date / Shipping / Gradient boosting / days = When a parcel will arrive | distance_km weight_grams CARRIER \
WEEKDAY
return-risk / Shipping / Gradient boosting / is_returned = Whether an item will come back | return_rate size_gap \
price_rank CATEGORY
carrier-choice / Shipping / Contextual bandit / carrier = Which carrier to take | distance_km weight_grams cost COUNTRY
ticket-routing / Service / Transformer / team = Who should answer a request | word_count sentiment CHANNEL LANGUAGE
ticket-priority / Service / Gradient boosting / priority = How urgent a request is | sentiment order_count_90d \
waiting_hours CHANNEL
call-volume / Service / Prophet / calls = Calls by the hour | parcel_late_rate campaign_count WEEKDAY
footfall-forecast / Stores / Prophet / visitors = Visitors of a shop by the hour | temperature precipitation HOLIDAY \
WEEKDAY
late-payment / Accounting / Logistic regression / is_late = Whether an invoice will be paid late | open_amount \
age_days paid_late_rate COUNTRY
supplier-risk / Procurement / Random forest / risk_class = How likely a supplier fails | punctuality_score \
quality_score order_volume COUNTRY
absence-forecast / Workforce / Poisson regression / days = Absence by department | headcount overtime_hours DEPARTMENT \
SEASON
`

/** Endpoints: `collection / part: resource fields`. Each resource gets list, get, create, change and remove. */
export const collectionsText = `
orders / Web Shop: orders order_number:string customer_id:long net_amount:double placed_at:time
baskets / Web Shop: baskets basket_key:string item_count:int value:double
customers / Profiles: customers customer_id:long email:string country:string
consents / Profiles: consents customer_id:long purpose:string is_granted:boolean
loyalty / Loyalty: accounts loyalty_number:string balance:int tier:string
products / Assortment: products product_number:string name:string brand:string
prices / Pricing: prices sku:string list_price:double sale_price:double
payments / Payments: payments payment_id:string amount:double status:string
shipments / Shipping: shipments tracking_number:string carrier:string status:string
returns / Shipping: returns return_number:string reason:string
stock / Warehousing: levels sku:string warehouse:string on_hand:int
suppliers / Procurement: suppliers supplier_number:string name:string risk_class:string
`
