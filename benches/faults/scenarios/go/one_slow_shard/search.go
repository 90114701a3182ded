package main

import (
	"fmt"
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

func shard(n int) string {
	file, _ := os.Create(fmt.Sprintf("shard-%d.log", n))
	own := log.New(file, "", log.LstdFlags|log.Lmicroseconds)
	chance := rand.New(rand.NewSource(int64(n)))
	documents := 180_000 + chance.Intn(9000)
	own.Printf("shard opened, %d documents, 14 segments", documents)
	low, spread := 18, 30
	if n == 3 {
		low, spread = 610, 260
	}
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		time.Sleep(time.Duration(low+chance.Intn(spread)) * time.Millisecond)
		hits := chance.Intn(90)
		fmt.Fprintln(w, hits)
		own.Printf("q=%s hits=%d took=%dms", r.URL.Query().Get("q"), hits, time.Since(begun).Milliseconds())
	}))
	return "http://" + listener.Addr().String()
}

func main() {
	file, _ := os.Create("front.log")
	front := log.New(file, "front ", log.LstdFlags|log.Lmicroseconds|log.Lmsgprefix)
	var shards []string
	for n := 1; n <= 6; n++ {
		shards = append(shards, shard(n))
	}
	front.Printf("connected to %d shards", len(shards))
	begun := time.Now()
	for query := 1; query <= 25; query++ {
		start, total := time.Now(), 0
		var wait sync.WaitGroup
		var lock sync.Mutex
		for _, base := range shards {
			wait.Add(1)
			go func(base string) {
				defer wait.Done()
				answer, err := http.Get(fmt.Sprintf("%s/?q=%d", base, query))
				if err != nil {
					front.Fatal(err)
				}
				defer answer.Body.Close()
				var hits int
				fmt.Fscan(answer.Body, &hits)
				lock.Lock()
				total += hits
				lock.Unlock()
			}(base)
		}
		wait.Wait()
		front.Printf("query %d: %d hits of 6 shards merged in %d ms (goal 100 ms)", query, total, time.Since(start).Milliseconds())
		time.Sleep(60 * time.Millisecond)
	}
	front.Printf("25 queries in %.1f s", time.Since(begun).Seconds())
}
