/** An application that locks; its store is found at run time. */
module com.example.orders {
    requires io.holdfast;
}
