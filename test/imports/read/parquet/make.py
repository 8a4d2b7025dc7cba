# Makes the files of this folder: python make.py .   (pip install pyarrow duckdb)
import duckdb, pyarrow as pa, pyarrow.parquet as pq, decimal, datetime as dt, sys
D=decimal.Decimal
out=sys.argv[1]
utc=dt.timezone.utc
types=pa.table({
 'guid': pa.array(['g1','g1','g2',None]),
 'uid': pa.array([9007199254740993, 123, -5, None], pa.int64()),
 'u64': pa.array([18446744073709551615, 0, 7, None], pa.uint64()),
 'u32': pa.array([4294967295, 0, 7, None], pa.uint32()),
 'i8': pa.array([-128, 0, 7, None], pa.int8()),
 'dec': pa.array([D('12345678901234567890.12'), D('-0.05'), D('7.00'), None], pa.decimal128(38,2)),
 'dec256': pa.array([D('1'*60), D('-1'), D('0'), None], pa.decimal256(76,0)),
 'dec9': pa.array([D('1234.5678'), D('-0.0001'), D('0'), None], pa.decimal128(9,4)),
 'day': pa.array([dt.date(2024,3,1), dt.date(1969,12,31), dt.date(9999,12,31), None]),
 'at_us': pa.array([dt.datetime(2024,3,1,18,0,0,120000,utc), dt.datetime(1969,12,31,23,59,59,999999,utc), dt.datetime(2024,3,1,tzinfo=utc), None], pa.timestamp('us','UTC')),
 'at_local_ms': pa.array([dt.datetime(2024,3,1,18,0), dt.datetime(1969,12,31,23,59,59,999000), dt.datetime(2024,3,1), None], pa.timestamp('ms')),
 'at_ns': pa.array([1709316000123456789, -1, 0, None], pa.timestamp('ns')),
 'time': pa.array([dt.time(18,0), dt.time(0,0,0,5), dt.time(23,59,59), None], pa.time64('us')),
 'yes': pa.array([True, False, True, None]),
 'f32': pa.array([0.1, 1e10, 123, None], pa.float32()),
 'f64': pa.array([0.1, 1e21, 123, None], pa.float64()),
 'f16': pa.array([1.5, -2.0, 0.0, None], pa.float16()),
 'bytes': pa.array([b'abc', b'\xff\x00', b'', None], pa.binary()),
 'name': pa.array(['Zoë 👍', 'a"b\n', '', None]),
 'kind': pa.array(['x','y','x',None]).dictionary_encode(),
})
pq.write_table(types, out+'/types.parquet', compression='snappy')
nested=pa.table({
 'guid': pa.array(['g1','g2','g3','g4']),
 'uid': pa.array([['anna','bob'], [], None, ['007']], pa.list_(pa.string())),
 'user': pa.array([{'id':1,'name':'A'}, {'id':9007199254740993,'name':None}, None, {'id':3,'name':'C'}], pa.struct([('id',pa.int64()),('name',pa.string())])),
 'tags': pa.array([[('a','1')], [], None, [('b',None),('c','3')]], pa.map_(pa.string(), pa.string())),
 'deep': pa.array([[[1],[2,3]], [[]], None, [None,[4]]], pa.list_(pa.list_(pa.int32()))),
 'people': pa.array([[{'uid':'x','n':D('1.50')}], [], None, [{'uid':'y','n':None},{'uid':None,'n':D('2.00')}]], pa.list_(pa.struct([('uid',pa.string()),('n',pa.decimal128(5,2))]))),
})
pq.write_table(nested, out+'/nested.parquet', compression='zstd')

# Every codec and version of pages, in several row groups and pages.
n=60
t=pa.table({'guid':[f'g{i%3}' for i in range(n)],'uid':[f'user-of-the-chat-{i}' for i in range(n)],'n':list(range(n)),'o':[None if i%4 else f'{i}' for i in range(n)],'l':[[str(j) for j in range(i%5)] for i in range(n)]})
for codec in ['none','snappy','gzip','brotli','lz4','zstd']:
  for v in ['1.0','2.0']:
    pq.write_table(t,out+f'/{codec}-v{v[0]}.parquet',compression=codec,data_page_version=v,data_page_size=200,write_page_checksum=True,row_group_size=25,write_statistics=False,store_schema=False)
for enc in [('uid','DELTA_BYTE_ARRAY'),('uid','DELTA_LENGTH_BYTE_ARRAY'),('n','DELTA_BINARY_PACKED')]:
    pq.write_table(t,out+f'/{enc[1].lower()}.parquet',use_dictionary=False,column_encoding={enc[0]:enc[1]},data_page_version='2.0' if enc[0]=='n' else '1.0',write_statistics=False,store_schema=False)
duckdb.connect().sql(f"copy (select 'g'||(i%3) as guid, 'u'||i as uid, i::hugeint*100000000000000 as h, interval 3 day as iv, 'infinity'::timestamp as inf, uuid() as id, i%2=0 as even from range(6) t(i)) to '{out}/duckdb.parquet' (format parquet)")
