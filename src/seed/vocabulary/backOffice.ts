/** Source systems of finance, purchasing, people and logistics; written like the shop's. */
export const erpSchemas = `
finance: The ledgers, budgets and the periods in which they close
  ledger_account: An account of the chart of accounts | account_number account_name account_type parent_account_number \
is_active
  journal_entry: A booking with its document | entry_number booked_on period_code document_type document_number \
posted_by entry_status
  journal_line: One side of a booking | journal_entry_id ledger_account_id cost_centre_id debit_amount credit_amount \
currency_code line_text
  cost_centre: Where costs arise | cost_centre_code cost_centre_name manager_name valid_from valid_until
  budget: What may be spent in a period | cost_centre_id period_code planned_amount currency_code approved_at \
approved_by
  exchange_rate: The rate of two currencies on a day | base_currency_code quote_currency_code rate_date exchange_rate \
source_name
  accounting_period: A month and whether it is closed | period_code starts_on ends_on is_closed closed_at closed_by
  tax_code: A tax rate of a country | tax_code country_code tax_rate valid_from tax_description
procurement: Suppliers, contracts with them and what is ordered
  supplier: A company that delivers goods or services | supplier_number supplier_name country_code payment_terms iban \
contact_email supplier_status risk_class
  supplier_contract: A frame contract with a supplier | supplier_id contract_number starts_on ends_on volume_amount \
currency_code notice_days
  purchase_order: An order that we place | supplier_id purchase_order_number ordered_on expected_on order_status \
total_amount currency_code
  purchase_order_line: One item of such an order | purchase_order_id product_variant_id line_number quantity unit_cost \
received_quantity
  goods_receipt: Goods that arrived for an order | purchase_order_id warehouse_id received_at receipt_status \
inspected_by
  supplier_invoice: A bill of a supplier | supplier_id invoice_number invoiced_on due_on gross_amount currency_code \
payment_status
  supplier_rating: How well a supplier delivered in a quarter | supplier_id period_code quality_score \
punctuality_score rated_by
people: Employees, positions, time and pay
  employee: A person who works here | employee_number first_name last_name work_email birth_date hired_on left_on \
position_id department_id
  department: A unit of the organisation | department_code department_name parent_department_id cost_centre_id \
manager_id
  position: A job with a grade | position_code position_title job_grade is_leading full_time_share
  absence: Vacation, sickness and other leave | employee_id absence_type starts_on ends_on day_count approved_by
  working_time: Hours worked on a day | employee_id work_date hours_worked break_minutes location_code
  salary: What an employee earns from a day on | employee_id valid_from gross_amount currency_code bonus_rate pay_group
  training: A course that an employee took | employee_id course_name completed_on passed certificate_number
assets: Equipment and what happens to it
  asset: A device, vehicle or machine | asset_number asset_class serial_number purchased_on purchase_amount \
location_code depreciation_years
  maintenance_order: Work on an asset | asset_id order_number planned_on completed_on cost_amount technician_name
  depreciation: The value that an asset lost in a period | asset_id period_code depreciation_amount book_value
inventory: What lies where, and why it moved
  stock_level: The quantity of a variant in a warehouse | product_variant_id warehouse_id on_hand_quantity \
reserved_quantity reorder_level counted_at
  stock_movement: Stock that came, went or was moved | product_variant_id warehouse_id movement_type quantity moved_at \
reference_number
  stock_count: A count of a shelf | warehouse_id storage_bin_id counted_on counted_quantity expected_quantity counted_by
  replenishment_plan: What is to be ordered when | product_variant_id warehouse_id plan_date planned_quantity \
forecast_quantity planner_name
`

export const logisticsSchemas = `
shipping: Parcels, carriers and where a parcel is
  shipment: A parcel on its way to a customer | order_id carrier_id tracking_number shipped_at promised_on \
delivered_at shipment_status weight_grams shipping_cost
  shipment_item: What is in a parcel | shipment_id order_line_id product_variant_id quantity
  tracking_event: A scan of a parcel | shipment_id event_code location_name occurred_at event_payload
  carrier: A company that delivers for us | carrier_code carrier_name country_code contract_number average_days
  carrier_rate: What a carrier charges | carrier_id country_code weight_limit_grams rate_amount currency_code valid_from
  delivery_window: A slot that a customer chose | shipment_id window_starts_at window_ends_at is_kept
warehouse: Buildings, bins and the work in them
  warehouse: A building where goods are stored | warehouse_code warehouse_name city country_code capacity_pallets \
latitude longitude
  storage_bin: A place on a shelf | warehouse_id bin_code zone_code bin_type maximum_weight_kg is_blocked
  pick_order: Items to fetch for a shipment | shipment_id warehouse_id picker_name started_at finished_at pick_status
  pick_line: One fetch | pick_order_id storage_bin_id product_variant_id quantity picked_at
  packing_station: A table where parcels are packed | warehouse_id station_code printer_name is_active
  shift: A group at work for some hours | warehouse_id shift_date shift_name headcount parcels_packed
returns: What comes back, why, and what becomes of it
  return_request: A customer wants to send something back | order_id customer_id requested_at return_reason \
return_status
  return_item: One product that comes back | return_request_id order_line_id quantity condition_code restocked_at
  return_inspection: What was found on looking at it | return_item_id inspected_at inspector_name verdict_code photo_url
  return_label: The label for the parcel | return_request_id carrier_id tracking_number issued_at label_cost
stores: Shops in town: their tills, visitors and stock
  store: A shop with an address | store_code store_name city country_code opened_on floor_area store_manager latitude \
longitude
  till: A cash desk | store_id till_number software_version is_active
  receipt: A sale in a shop | store_id till_id receipt_number sold_at gross_amount tax_amount payment_method \
loyalty_number
  receipt_line: One product of a sale | receipt_id product_variant_id quantity unit_price discount_amount
  footfall: Visitors in an hour | store_id counted_at visitor_count camera_name
  store_transfer: Stock sent to a shop | store_id warehouse_id sent_at received_at item_count transfer_status
`

export const supportSchemas = `
tickets: Requests of customers and how they were solved
  ticket: A request of a customer | customer_id order_id ticket_number channel_code subject_line priority_code \
ticket_status opened_at solved_at assigned_to
  ticket_message: A message in a request | ticket_id author_name message_text sent_at is_internal sentiment_score
  ticket_tag: A word that groups requests | ticket_id tag_name tagged_by
  satisfaction: What the customer thought of the help | ticket_id star_rating comment_text answered_at
telephony: Calls to the service line
  call: A call with its waiting time | customer_id agent_id started_at wait_seconds talk_seconds queue_name outcome_code
  agent: A person who answers | agent_code agent_name team_name language_code hired_on
  call_recording: Where a recording lies and until when | call_id storage_path duration_seconds delete_on
knowledge: Answers that customers and agents look up
  help_article: An answer to a frequent question | article_title topic_code language_code view_count helpful_count \
published_at
  help_feedback: Whether an answer helped | help_article_id is_helpful comment_text given_at
`
