/**
 * Source systems of the shop. A schema is a line `name: description`; below it one line for each table:
 * `name: what a row is | its columns beside the key and the time stamps`.
 */
export const shopSchemas = `
orders: Orders of every channel, from the basket to the invoice
  cart: A basket that a visitor is filling | customer_id session_key channel_code currency_code item_count abandoned_at
  cart_item: One product in a basket | cart_id product_variant_id quantity unit_price added_at
  order: An order that a customer placed in any channel | customer_id channel_code order_status placed_at \
currency_code gross_amount discount_amount tax_amount net_amount promotion_id is_gift
  order_line: One product of an order | order_id product_variant_id line_number quantity unit_price discount_amount \
tax_rate net_amount
  order_event: A step in the life of an order | order_id event_type occurred_at actor_name event_payload
  order_address: Where an order is delivered or billed to | order_id address_type recipient_name street_line city \
postal_code country_code
  promotion: A price reduction with a period and rules | promotion_code promotion_name discount_rate starts_on ends_on \
is_combinable budget_amount
  promotion_redemption: One use of a promotion | promotion_id order_id customer_id redeemed_at discount_amount
  invoice: What the customer owes for an order | order_id invoice_number issued_on due_on net_amount tax_amount \
gross_amount currency_code invoice_status
customers: Who buys, how to reach them and what they agreed to
  customer: A person or company that has bought or registered | customer_number first_name last_name email \
phone_number birth_date country_code language_code customer_status registered_at marketing_consent
  customer_address: An address in the book of a customer | customer_id address_type street_line city postal_code \
country_code is_default
  consent: What a customer agreed to, with proof | customer_id consent_type is_granted granted_at revoked_at \
consent_source
  loyalty_account: Membership in the loyalty programme | customer_id loyalty_number loyalty_tier points_balance \
enrolled_on tier_valid_until
  loyalty_movement: Points earned or spent | loyalty_account_id order_id movement_type points_delta booked_at
  segment: A group of customers that marketing addresses | segment_name segment_rule owner_name customer_count \
refreshed_at
  segment_member: A customer in a segment | segment_id customer_id joined_at left_at score
  login: An attempt to sign in | customer_id ip_address user_agent is_successful occurred_at failure_reason
catalog: Products, their variants, prices and pictures
  product: A product as customers know it | product_number product_name brand_id category_id product_status \
launched_on season_code is_sustainable description_text
  product_variant: A product in one size and colour | product_id sku_code gtin_code size_code colour_name weight_grams \
unit_price variant_status
  category: A place in the shop's category tree | parent_category_id category_name category_path sort_order is_visible
  brand: A brand that the shop sells | brand_name country_code brand_status contact_email
  price_list: Prices for a country and a period | price_list_name country_code currency_code valid_from valid_until
  price: The price of a variant in a price list | price_list_id product_variant_id list_price sale_price minimum_price \
changed_at
  product_image: A picture of a product | product_id image_url width_pixels height_pixels sort_order alternative_text
  product_attribute: One property of a product | product_id attribute_name attribute_value unit_code
payments: Payments, refunds and what the providers report
  payment: Money that a customer paid for an order | order_id payment_method provider_name provider_reference amount \
currency_code payment_status authorised_at captured_at
  payment_card: A stored card, as a token of the provider | customer_id card_token card_brand last_digits expiry_month \
expiry_year
  refund: Money that goes back to a customer | payment_id refund_reason amount currency_code refunded_at approved_by
  chargeback: A payment that the card holder disputes | payment_id reason_code amount currency_code opened_at \
resolved_at outcome_code
  settlement: A payout of a provider | provider_name settlement_number settled_on gross_amount fee_amount net_amount \
currency_code
  settlement_line: One payment within a payout | settlement_id payment_id gross_amount fee_amount net_amount
  fraud_check: The verdict on a payment | payment_id risk_score verdict_code rule_hits checked_at model_version
content: Pages, campaigns and what visitors read
  page: A page of the site | page_path page_title template_name language_code published_at page_status
  banner: A teaser that links to a page or product | banner_name placement_code target_url starts_at ends_at click_count
  article: An article of the magazine | article_title author_name topic_code word_count published_at
  newsletter: One issue of the newsletter | subject_line segment_id sent_at recipient_count open_count click_count
reviews: What customers say about products
  review: A review of a product by a customer | product_id customer_id star_rating review_title review_text \
is_verified submitted_at review_status
  review_vote: Whether a reader found a review helpful | review_id customer_id is_helpful voted_at
  question: A question about a product | product_id customer_id question_text asked_at answer_count
  answer: An answer to a question | question_id author_name answer_text answered_at is_official
`
