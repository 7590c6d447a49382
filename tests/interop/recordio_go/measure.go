package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/grailbio/base/recordio"
)

const measureUsage = `recordio_go measure-gen   -size N -total N -seed N -out ITEMS
recordio_go measure-write -in ITEMS -out FILE [-t NAME]… [-block BYTES] [-maxitems N] [-par N] [-index FILE]
recordio_go measure-scan  -in FILE [-shards N]
recordio_go measure-get   -in FILE -index FILE [-n N] [-seed N]

Each takes -procs N (GOMAXPROCS) and prints one JSON line. ITEMS holds items, each behind its length as 8 bytes little-endian; an
index file has 12 bytes an item: block offset (8 bytes little-endian), number in the block (4).`

type names []string

func (n *names) String() string     { return strings.Join(*n, ", ") }
func (n *names) Set(s string) error { *n = append(*n, s); return nil }

// splitMix is the generator splitmix64: the same picks in the driver of fonds.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// result is the line that a measured run prints.
type result struct {
	Op          string  `json:"op"`
	Records     int64   `json:"records"`
	Bytes       int64   `json:"bytes"` // of items
	LastByteSum int64   `json:"last_byte_sum"`
	FileBytes   int64   `json:"file_bytes,omitempty"`
	Wall        float64 `json:"wall_s"`
	User        float64 `json:"user_s"`
	System      float64 `json:"sys_s"`
	MaxRSSKiB   int64   `json:"max_rss_KiB"`
	P50         float64 `json:"p50_us,omitempty"`
	P99         float64 `json:"p99_us,omitempty"`

	begin      time.Time
	user0, sys float64
}

// take counts an item as read: its length, and its last byte, which proves that it was there.
func (r *result) take(item []byte) {
	r.Records++
	r.Bytes += int64(len(item))
	if len(item) > 0 {
		r.LastByteSum += int64(item[len(item)-1])
	}
}

func cpuSeconds() (user, system float64) {
	var usage syscall.Rusage
	fail(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime), seconds(usage.Stime)
}

// peakKiB is VmHWM: unlike ru_maxrss it holds nothing of the process that started this one.
func peakKiB() (kib int64) {
	status, err := os.ReadFile("/proc/self/status")
	fail(err)
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmHWM:") {
			_, err := fmt.Sscan(strings.TrimPrefix(line, "VmHWM:"), &kib)
			fail(err)
		}
	}
	return kib
}

func (r *result) start() {
	r.user0, r.sys = cpuSeconds()
	r.begin = time.Now()
}

func (r *result) stop() {
	r.Wall = time.Since(r.begin).Seconds()
	user, system := cpuSeconds()
	r.User, r.System = user-r.user0, system-r.sys
	r.MaxRSSKiB = peakKiB()
}

func measure(op string, args []string) {
	flags := flag.NewFlagSet(op, flag.ExitOnError)
	var transformers names
	in := flags.String("in", "", "file to read")
	out := flags.String("out", "", "file to write")
	index := flags.String("index", "", "file of locations")
	size := flags.Int("size", 100, "bytes of an item")
	total := flags.Int64("total", 1<<20, "bytes of all items")
	seed := flags.Uint64("seed", 1, "seed")
	block := flags.Int("block", 0, "flush at so many bytes of items (0: never)")
	maxItems := flags.Uint("maxitems", 0, "option MaxItems")
	parallel := flags.Uint("par", 0, "option MaxFlushParallelism")
	shards := flags.Int("shards", 1, "read in so many parts at once")
	n := flags.Int("n", 1000, "items to get")
	procs := flags.Int("procs", 0, "GOMAXPROCS (0: as the environment says)")
	flags.Var(&transformers, "t", "transformer, may be repeated")
	fail(flags.Parse(args))
	runtime.GOMAXPROCS(*procs) // 0 changes nothing

	r := &result{Op: strings.TrimPrefix(op, "measure-")}
	switch op {
	case "measure-gen":
		generate(r, *out, *size, *total, splitMix(*seed))
	case "measure-write":
		opts := recordio.WriterOpts{Transformers: transformers, MaxItems: uint32(*maxItems), MaxFlushParallelism: uint32(*parallel)}
		measureWrite(r, *in, *out, *index, *block, opts)
	case "measure-scan":
		measureScan(r, *in, *shards)
	case "measure-get":
		measureGet(r, *in, *index, *n, splitMix(*seed))
	default:
		fmt.Fprintln(os.Stderr, measureUsage)
		os.Exit(2)
	}
	fail(json.NewEncoder(os.Stdout).Encode(r))
}

// generate writes items that look like lines of a log: a time, an id at random, words of a small
// vocabulary. Compressors come to about a third: the ids cannot be shortened, the words can.
func generate(r *result, path string, size int, total int64, random splitMix) {
	words := strings.Fields("accepted alice backup bob bytes cache cart checkout closed connection disk done expired failed from " +
		"GET hit host in index job key lease login lost miss open order parse peer PUT queue reload request sent shard slow sync to worker")
	out, err := os.Create(path)
	fail(err)
	buffered := bufio.NewWriterSize(out, 1<<20)
	item := make([]byte, 0, size+256)
	for r.Bytes < total {
		for item = item[:0]; len(item) < size; {
			item = append(item, fmt.Sprintf("%d %08x", 1700000000+random.next()%100000000, uint32(random.next()))...)
			for n := 0; n < 8; n++ {
				item = append(append(item, ' '), words[random.next()%uint64(len(words))]...)
			}
			item = append(item, '\n')
		}
		item = item[:size]
		r.take(item)
		fail(writeItem(buffered, item))
	}
	fail(buffered.Flush())
	fail(out.Close())
}

func measureWrite(r *result, in, path, indexPath string, block int, opts recordio.WriterOpts) {
	items, err := readItems(in)
	fail(err)
	out, err := os.Create(path)
	fail(err)
	finishIndex := func() {}
	if indexPath != "" {
		file, err := os.Create(indexPath)
		fail(err)
		buffered := bufio.NewWriterSize(file, 1<<20)
		var mutex sync.Mutex
		opts.Index = func(where recordio.ItemLocation, _ interface{}) error {
			var packed [12]byte
			binary.LittleEndian.PutUint64(packed[:], where.Block)
			binary.LittleEndian.PutUint32(packed[8:], uint32(where.Item))
			mutex.Lock()
			defer mutex.Unlock()
			_, err := buffered.Write(packed[:])
			return err
		}
		finishIndex = func() {
			fail(buffered.Flush())
			fail(file.Close())
		}
	}
	r.start()
	writer := recordio.NewWriter(out, opts)
	held := 0
	for _, item := range items {
		writer.Append(item)
		r.take(item)
		if held += len(item); block > 0 && held >= block {
			writer.Flush()
			held = 0
		}
	}
	fail(writer.Finish())
	r.FileBytes, err = out.Seek(0, io.SeekEnd)
	fail(err)
	fail(out.Close())
	r.stop()
	finishIndex()
}

func measureScan(r *result, path string, shards int) {
	r.start()
	parts := make([]result, shards)
	var group sync.WaitGroup
	for n := range parts {
		group.Add(1)
		go func(n int) {
			defer group.Done()
			in, err := os.Open(path)
			fail(err)
			defer in.Close()
			scanner := recordio.NewShardScanner(in, recordio.ScannerOpts{}, n, n+1, shards)
			var part result
			for scanner.Scan() {
				part.take(scanner.Get().([]byte))
			}
			fail(scanner.Finish())
			parts[n] = part
		}(n)
	}
	group.Wait()
	for _, part := range parts {
		r.Records += part.Records
		r.Bytes += part.Bytes
		r.LastByteSum += part.LastByteSum
	}
	r.stop()
}

func measureGet(r *result, path, indexPath string, n int, random splitMix) {
	index, err := os.ReadFile(indexPath)
	fail(err)
	if len(index) < 12 || n < 1 {
		fail(errors.New("nothing to get"))
	}
	in, err := os.Open(path)
	fail(err)
	scanner := recordio.NewScanner(in, recordio.ScannerOpts{})
	taken := make([]float64, n)
	r.start()
	for k := range taken {
		begin := time.Now()
		packed := index[12*(random.next()%uint64(len(index)/12)):]
		scanner.Seek(recordio.ItemLocation{Block: binary.LittleEndian.Uint64(packed), Item: int(binary.LittleEndian.Uint32(packed[8:]))})
		if !scanner.Scan() {
			fail(fmt.Errorf("item %d of the picks: %v", k, scanner.Err()))
		}
		r.take(scanner.Get().([]byte))
		taken[k] = time.Since(begin).Seconds() * 1e6
	}
	r.stop()
	fail(scanner.Finish())
	fail(in.Close())
	sort.Float64s(taken)
	r.P50, r.P99 = taken[n/2], taken[n*99/100]
}
